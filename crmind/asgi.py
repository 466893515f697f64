"""ASGI entry point."""

import os

from django.core.asgi import get_asgi_application

from crmind.memory import settle_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crmind.settings")
application = get_asgi_application()
settle_memory()
