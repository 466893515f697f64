"""Steps that may be left out."""

import pytest

from retrieval.exceptions import InvalidFilterError
from retrieval.query.steps import EVERY_STEP, Step, steps_without


def test_steps_without__all_but_those_named():
    assert steps_without([]) == EVERY_STEP
    assert steps_without(["dates", "dates"]) == EVERY_STEP - {Step.DATES}
    assert steps_without(Step) == frozenset()


def test_steps_without__an_unknown_step_is_told_with_those_there_are():
    told = "no step 'synonym' .* recency, dates, entities, sources, titles, synonyms, intents"
    with pytest.raises(InvalidFilterError, match=told) as caught:
        steps_without(["synonym"])
    assert caught.value.field == "understanding"
