"""Runs the queue worker, and sees to it that work whose worker died is taken up again."""

import os
import sys
from typing import Any

from django_q import cluster
from django_q.management.commands import qcluster

from crmind.queueing import SteadyQueue, WatchedCluster


class Command(qcluster.Command):  # type: ignore[misc] # the library has no types
    """`manage.py qcluster`: as django-q2 has it, with a watch over what a dead process leaves."""

    help = "Run the queue worker until told to stop."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start the processes and watch over them; exit 1 if they died by themselves."""
        if options.get("cluster_name"):
            os.environ["Q_CLUSTER_NAME"] = options["cluster_name"]
        cluster.Queue = SteadyQueue
        started = WatchedCluster()
        started.start()
        if options.get("run_once"):
            started.stop()
        elif not started.watch():
            sys.exit(1)
