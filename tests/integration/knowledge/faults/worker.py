"""A queue worker whose model takes its time, and dies of certain words as a crash would have it.

Each process that works tells its id by a file in the folder FAULTS_PIDS.
"""

import os
import signal
import time
from pathlib import Path

import django
from django.core.management import call_command

POISON = "POISON"
SECONDS_PER_TEXT = 0.004


def main() -> None:
    django.setup()
    from django_q.signals import post_spawn  # noqa: PLC0415 # the apps are ready now

    from knowledge.embedding.hashing import HashingEmbedder  # noqa: PLC0415 # as above

    genuine = HashingEmbedder.embed_passages

    def embed_slowly(self, texts):
        if any(POISON in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(SECONDS_PER_TEXT * len(texts))
        return genuine(self, texts)

    def tell(**_):
        (Path(os.environ["FAULTS_PIDS"]) / str(os.getpid())).touch()

    HashingEmbedder.embed_passages = embed_slowly
    post_spawn.connect(tell)
    call_command("qcluster")


if __name__ == "__main__":
    main()
