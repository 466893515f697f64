"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from crmind.memory import settle_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crmind.settings")
application = get_wsgi_application()
settle_memory()
