"""Settings: environment in, values out. `docs/reference/settings.md` describes each variable."""

from logging import getLevelNamesMapping
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy

from crmind.secret_key import read_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

STATE_DIR = Path(env.str("CRMIND_STATE_DIR", default=str(BASE_DIR / ".crmind")))

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or read_secret_key(STATE_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "rest_framework_api_key",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    # Before the queue: its qcluster command stands in for the queue's own.
    "crmind",
    "django_q",
    "simple_history",
    "knowledge",
    "retrieval",
    "cachemgr",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "crmind.workload.WorkloadMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
]

ROOT_URLCONF = "crmind.urls"
WSGI_APPLICATION = "crmind.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE_URL = env.str("DATABASE_URL", default="")
DATABASES = {
    "default": env.db_url_config(DATABASE_URL)
    if DATABASE_URL
    else {"ENGINE": "crmind.postgres", "NAME": "crmind"},
}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["TEST"] = {"NAME": env.str("CRMIND_TEST_DB", default="test_crmind")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CRMIND_POSTGRES_DIR = STATE_DIR / "postgres"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en"
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
# Static files are served from where the packages keep them: no step before the first start.
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = STATE_DIR / "media"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["knowledge.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["knowledge.api.authentication.HasApiKey"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "crmind.api.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "NUM_PROXIES": env.int("NUM_PROXIES", default=0),
}

SPECTACULAR_SETTINGS = {
    "TITLE": "CRMind",
    "DESCRIPTION": "Ranked, cited, access-checked evidence for chat assistants.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {"EntityKindEnum": "knowledge.models.EntityKind"},
}

Q_CLUSTER = {
    "name": "crmind",
    "workers": env.int("QUEUE_WORKERS", default=1),
    "timeout": env.int("QUEUE_TIMEOUT_SECONDS", default=3_600),
    "retry": env.int("QUEUE_RETRY_SECONDS", default=3_900),
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 1_000,
    "queue_limit": 50,
    "bulk": 1,
    "poll": 0.5,
    **({"redis": env.str("REDIS_URL")} if env.str("REDIS_URL", default="") else {"orm": "default"}),
}

REQUESTS_AT_ONCE = env.int("REQUESTS_AT_ONCE", default=0)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

LOGIN_URL = reverse_lazy("admin:login")
LOGIN_REDIRECT_URL = reverse_lazy("admin:index")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = env.bool("HTTPS", default=False)
SECURE_HSTS_SECONDS = 31_536_000 if env.bool("HTTPS", default=False) else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.bool("HTTPS", default=False)
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("BEHIND_PROXY", default=False) else None
)
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("MAX_REQUEST_BYTES", default=20 * 1024 * 1024)

CRMIND_KNOWLEDGE = {
    "EMBEDDING_PROVIDER": env.str("EMBEDDING_PROVIDER", default="sentence-transformers"),
    "EMBEDDING_MODEL": env.str("EMBEDDING_MODEL", default="all-MiniLM-L6-v2"),
    "EMBEDDING_BASE_URL": env.str("EMBEDDING_BASE_URL", default=""),
    "EMBEDDING_API_KEY": env.str("EMBEDDING_API_KEY", default=""),
    "EMBEDDING_DIMENSIONS": env.int("EMBEDDING_DIMENSIONS", default=0),
    "EMBEDDING_QUERY_PREFIX": env.str("EMBEDDING_QUERY_PREFIX", default=""),
    "EMBEDDING_DOCUMENT_PREFIX": env.str("EMBEDDING_DOCUMENT_PREFIX", default=""),
    "EMBEDDING_MAX_TOKENS": env.int("EMBEDDING_MAX_TOKENS", default=0),
    "EMBEDDING_BATCH_SIZE": env.int("EMBEDDING_BATCH_SIZE", default=32),
    "EMBEDDING_TIMEOUT_SECONDS": env.float("EMBEDDING_TIMEOUT_SECONDS", default=60.0),
    "EMBEDDING_FALLBACK_MODEL": env.str("EMBEDDING_FALLBACK_MODEL", default=""),
    "EMBEDDING_PRICE_PER_MILLION_TOKENS": env.float(
        "EMBEDDING_PRICE_PER_MILLION_TOKENS", default=0.0
    ),
    "OCR_LANGUAGES": env.str("OCR_LANGUAGES", default=""),
    "FETCH_ALLOWED_HOSTS": env.list("FETCH_ALLOWED_HOSTS", default=[]),
    "INGEST_ROOTS": env.list("INGEST_ROOTS", default=[]),
    "FETCH_USER_AGENT": env.str("FETCH_USER_AGENT", default="CRMind/0.1 (knowledge service)"),
}
CRMIND_RETRIEVAL: dict[str, object] = {
    "KEYWORD_ENGINE": env.str("KEYWORD_ENGINE", default="crmind"),
    "RERANKER_MODEL": env.str("RERANKER_MODEL", default=""),
}
CRMIND_CACHE: dict[str, object] = {
    "MAX_WAITING": env.int("CACHE_MAX_WAITING", default=0),
}

UNFOLD = {
    "SITE_TITLE": "CRMind",
    "SITE_HEADER": "CRMind",
    "SITE_SUBHEADER": "Knowledge for your assistant",
    "SITE_SYMBOL": "hub",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": True,
    "DASHBOARD_CALLBACK": "crmind.dashboard.dashboard",
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda _request: static("crmind/favicon.svg"),
        }
    ],
    "STYLES": [lambda _request: static("crmind/admin.css")],
    "SIDEBAR": {"show_search": True, "navigation": "crmind.navigation.sidebar"},
}

LOG_LEVEL = env.str("LOG_LEVEL", default="WARNING").upper()
if LOG_LEVEL not in getLevelNamesMapping():
    message = f"LOG_LEVEL is {LOG_LEVEL!r}; it may be one of {', '.join(getLevelNamesMapping())}."
    raise ImproperlyConfigured(message)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}
