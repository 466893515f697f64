"""Admin pages of the response cache."""

from cachemgr.admin.response import CachedResponseAdmin

__all__ = ["CachedResponseAdmin"]
