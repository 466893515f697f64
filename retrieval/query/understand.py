"""Reads out of a question what it asks for beside its topic: the steps in their order."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, tzinfo

from retrieval.query.dates import Period, find_periods
from retrieval.query.entities import NamedEntities, choose_entities
from retrieval.query.intents import find_intents
from retrieval.query.recency import find_recency
from retrieval.query.sources import find_sources, find_types
from retrieval.query.spelling import Spellings, choose_spellings, choose_title_words
from retrieval.query.steps import EVERY_STEP, Step
from retrieval.query.synonyms import (
    MOST_EXPANSIONS,
    find_places,
    find_synonyms,
    fold_words,
    words_at,
)
from retrieval.query.vocabulary import Vocabulary
from retrieval.query.wordings import find_wordings
from retrieval.understanding import (
    About,
    Expansion,
    Preference,
    PreferenceKind,
    Preferences,
    Understanding,
)


def understand(
    question: str, *, vocabulary: Vocabulary, as_of: datetime, steps: frozenset[Step] = EVERY_STEP
) -> Understanding:
    """Return what the question says, with what callers see of it.

    Periods count from `as_of`, in its zone. What no vocabulary is given for is not looked for.
    """
    periods: tuple[Period, ...] = ()
    if Step.DATES in steps:
        first_month = vocabulary.fiscal_year_first_month
        periods = find_periods(question, today=as_of.date(), fiscal_first_month=first_month)
    # A question with a time of its own does not ask for the newest of all times.
    recency = find_recency(question) if Step.RECENCY in steps and not periods else None
    preferred = (
        *find_sources(question, vocabulary.sources),
        *find_types(question, vocabulary.types),
        *find_intents(question, vocabulary.intents),
        *(_preference(period, as_of.tzinfo) for period in periods if _is_known(period)),
    )
    entities = choose_entities(question, vocabulary.entities)
    spellings = choose_spellings(vocabulary.similar, vocabulary.similar)
    about = (
        *(About(name=name, entity_id=key) for name, key in entities.found.items()),
        *(
            About(name=each.name, entity_id=each.entity_id, asked=asked)
            for asked, each in spellings.meant.items()
        ),
    )
    topic = recency.topic if recency else question
    respelt = _respelt(topic, {asked: each.name for asked, each in spellings.meant.items()})
    slips = _slips(vocabulary, spellings)
    synonyms = find_synonyms(topic, vocabulary.synonyms)
    wordings = find_wordings(topic) if Step.SYNONYMS in steps else []
    described = _described_names(entities, spellings, slips)
    if recency is not None:
        described["recency"] = {"words": list(recency.words), "strength": recency.strength}
    if periods:
        described["periods"] = [_described(period) for period in periods]
    if preferred:
        described["preferred"] = [preference.name for preference in preferred]
    if synonyms:
        described["synonyms"] = _by_words(topic, synonyms)
    if wordings:
        described["wordings"] = _by_words(topic, wordings)
    return Understanding(
        topic=recency.topic if recency else "",
        spelt_topic=_with_names_meant(topic, respelt) if respelt else "",
        expansions=(*respelt, *_respelt(topic, slips), *synonyms, *wordings)[:MOST_EXPANSIONS],
        preferences=Preferences(
            recency=recency.strength if recency else 0.0,
            names_period=bool(periods),
            about=about,
            preferred=preferred,
        ),
        entity_ids=tuple(dict.fromkeys(each.entity_id for each in about)),
        described=described,
        warnings=(*_name_warnings(entities, spellings), *_slip_warnings(slips)),
        reads_identifiers=Step.IDENTIFIERS in steps,
        tells_language=Step.LANGUAGE in steps,
    )


def _slips(vocabulary: Vocabulary, spellings: Spellings) -> dict[str, str]:
    """Return the words of titles that words are slips of, without those within a name."""
    within = {word for name in spellings.meant for word in name.split()}
    slips = choose_title_words(vocabulary.titles)
    return {asked: word for asked, word in slips.items() if asked not in within}


def _slip_warnings(slips: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"No document holds {asked!r}: {word!r}, of a title, was looked up as well."
        for asked, word in slips.items()
    )


def _described_names(
    entities: NamedEntities, spellings: Spellings, slips: Mapping[str, str]
) -> dict[str, object]:
    corrected = {**slips, **{asked: each.name for asked, each in spellings.meant.items()}}
    found = {
        **entities.found,
        **{asked: each.entity_id for asked, each in spellings.meant.items()},
    }
    ambiguous = [*entities.ambiguous, *spellings.ambiguous]
    return {
        **({"entities": {name: str(key) for name, key in found.items()}} if found else {}),
        **({"corrected": corrected} if corrected else {}),
        **({"ambiguous": ambiguous} if ambiguous else {}),
    }


def _name_warnings(entities: NamedEntities, spellings: Spellings) -> tuple[str, ...]:
    ask_back = "Name one as the entity to search."
    return (
        *(f"Several entities are called {name!r}. {ask_back}" for name in entities.ambiguous),
        *(f"{asked!r} was read as {each.name!r}." for asked, each in spellings.meant.items()),
        *(
            f"Several entities are called nearly like {name!r}. {ask_back}"
            for name in spellings.ambiguous
        ),
    )


def _respelt(topic: str, meant: Mapping[str, str]) -> list[Expansion]:
    """Return the right spelling of each name or word, where the topic holds the wrong one."""
    words = fold_words(topic)
    return [
        Expansion(places=places, text=right)
        for asked, right in meant.items()
        for places in find_places(fold_words(asked), words)
    ]


def _with_names_meant(topic: str, respelt: Iterable[Expansion]) -> str:
    """Return the topic with each right spelling in the place of the wrong one."""
    words = topic.split()
    for name in respelt:
        first, *others = name.places
        before = words[first - 1]
        words[first - 1] = (
            before.replace(words_at(before, [1]), name.text) if not others else name.text
        )
        for place in others:
            words[place - 1] = ""
    return " ".join(filter(None, words))


def _by_words(topic: str, expansions: Iterable[Expansion]) -> dict[str, list[str]]:
    """Return the other wordings by the words of the topic they stand for."""
    others: dict[str, list[str]] = {}
    for expansion in expansions:
        others.setdefault(words_at(topic, expansion.places), []).append(expansion.text)
    return {words: list(dict.fromkeys(texts)) for words, texts in others.items()}


def _is_known(period: Period) -> bool:
    return period.since is not None or period.until is not None


def _preference(period: Period, zone: tzinfo | None) -> Preference:
    return Preference(
        kind=PreferenceKind.PERIOD,
        name=f"period {period.words}",
        since=_start(period.since, zone),
        until=_start(period.until, zone),
    )


def _start(day: date | None, zone: tzinfo | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time.min, tzinfo=zone)


def _described(period: Period) -> dict[str, object]:
    return {
        "words": period.words,
        "since": period.since.isoformat() if period.since else None,
        "until": period.until.isoformat() if period.until else None,
    }
