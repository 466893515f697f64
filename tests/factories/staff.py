"""People who use the admin, by role."""

import factory
from django.contrib.auth.models import Group, User
from factory.django import DjangoModelFactory

from crmind.roles import seed_roles


class StaffFactory(DjangoModelFactory):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda number: f"person{number}")
    is_staff = True

    @factory.post_generation
    def role(self, create, extracted):
        """Put the person into the group of that name; "superuser" is no group."""
        if extracted == "superuser":
            self.is_superuser = True
            self.save()
        elif extracted:
            seed_roles()
            self.groups.add(Group.objects.get(name=extracted))
