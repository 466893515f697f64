from dataclasses import dataclass

import pytest
from django.core.exceptions import ImproperlyConfigured

from crmind.conf import load_config


@dataclass(frozen=True, slots=True, kw_only=True)
class Kitchen:
    ovens: int = 1
    is_open: bool = True


def test_load_config__keeps_the_defaults_of_keys_left_out(settings):
    settings.KITCHEN = {"OVENS": 3}
    assert load_config(Kitchen, "KITCHEN") == Kitchen(ovens=3, is_open=True)


def test_load_config__missing_namespace_is_all_defaults():
    assert load_config(Kitchen, "NO_SUCH_NAMESPACE") == Kitchen()


def test_load_config__unknown_key_is_named(settings):
    settings.KITCHEN = {"OVEN": 3}
    with pytest.raises(ImproperlyConfigured, match=r"KITCHEN has unknown keys \['OVEN'\]"):
        load_config(Kitchen, "KITCHEN")
