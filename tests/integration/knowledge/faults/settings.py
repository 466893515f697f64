"""Settings of a queue worker that tests start as a process of its own."""

import os

from crmind.settings import *  # noqa: F403 # as Django has it
from crmind.settings import DATABASES, Q_CLUSTER

DATABASES["default"]["NAME"] = os.environ["FAULTS_DATABASE"]
CRMIND_KNOWLEDGE = {
    "EMBEDDING_PROVIDER": "hashing",
    "CHUNK_TARGET_TOKENS": 48,
    "LEASE_SECONDS": 1.0,
}
Q_CLUSTER = {**Q_CLUSTER, "workers": 2, "poll": 0.1, "timeout": 300, "retry": 600}
