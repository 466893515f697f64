"""Words that carry the grammar of a question, by language (ISO 639-1) where they differ."""

from collections.abc import Mapping

from cachemgr.vocabulary.languages import EVERYDAY_WORDS


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ARTICLES = _words("""
    a an the our my your their his her its this that these those der die das den dem des ein eine
    einen einem einer eines mein meine meinen unser unsere unseren le la les l' un une des mon ma
    mes notre nos el los las una unos unas mi mis nuestro nuestra
    """)

LIMITING_PREPOSITIONS = _words(
    "before after during until till since within under over below above between without vor avant "
    "après antes después"
)

FUNCTION_WORDS = (
    ARTICLES
    | LIMITING_PREPOSITIONS
    | _words("""
    about against am among and any anyone anything are around as at be been being between but by can
    could did do does doing done else etc for from had has have having he her hers him himself his i
    if in into is it itself let lets may me might mine much must myself near of off on one ones onto
    or ought ours ourselves out over please shall she should so some someone somebody something such
    than that theirs them themselves then there they thing things through to toward towards up upon
    us very via was way ways we were what when where whether which who whom whose why how will
    with within
    would you yours yourself also many vs versus nor
    """)
)

FUNCTION_WORDS_BY_LANGUAGE: Mapping[str, frozenset[str]] = {
    "": FUNCTION_WORDS | _words("von für mit pour avec para con del du des und et y"),
    **{
        language: FUNCTION_WORDS | words if language == "en" else ARTICLES | words
        for language, words in EVERYDAY_WORDS.items()
    },
}

# In capitals they are said loudly, and no acronyms.
STRESSED = _words("you your my our any and the all not but very")

# Said around a question; they narrow nothing.
FILLERS = _words("""
    become becomes became becoming get gets getting got gotten very so lot alot even exact now
    currently nowadays
    really actually truly exactly basically simply just ever please kindly thanks thank hi hello hey
    dear ok okay bitte mal denn eigentlich svp merci favor gracias
    """)

# Where "X of Y" is also said "Y X".
LOOSE_PREPOSITIONS = _words("""
    of for in at on about regarding concerning within near among du des del de für pour para im am
    """)
# Which of two is which.
DIRECTIONS: Mapping[str, str] = {
    "from": "from",
    "by": "by",
    "against": "against",
    "about": "about",
    "regarding": "about",
    "with": "with",
    "mit": "with",
    "avec": "with",
    "con": "with",
    "for": "for",
    "für": "for",
    "pour": "for",
    "para": "for",
    "an": "to",
    "par": "by",
    "durch": "by",
    "por": "by",
    "than": "than",
    "to": "to",
    "into": "to",
    "onto": "to",
    "towards": "to",
    "through": "through",
    "via": "through",
    "von": "from",
    "nach": "to",
    "vers": "to",
    "à": "to",
    "desde": "from",
    "hacia": "to",
}
# Before any word, and where the other question has another preposition or none.
STRICT_DIRECTIONS = _words("from by against than")
# Before a name, and where the other question has another direction: for us, by us.
SOFT_DIRECTIONS = _words("for with")
COORDINATORS = _words("and or vs versus & nor und oder et ou y o")

KINDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "who": "who",
        "whom": "who",
        "whose": "whose",
        "what": "what",
        "which": "what",
        "when": "when",
        "where": "where",
        "why": "why",
        "how": "how",
    },
    "de": {
        **dict.fromkeys(("wer", "wen", "wem"), "who"),
        "wessen": "whose",
        **dict.fromkeys(("was", "welche", "welcher", "welches", "welchen", "welchem"), "what"),
        "wann": "when",
        **dict.fromkeys(("wo", "woher", "wohin"), "where"),
        **dict.fromkeys(("warum", "wieso", "weshalb"), "why"),
        "wie": "how",
        "wieviel": "how much",
        "wieviele": "how many",
    },
    "fr": {
        "qui": "who",
        **dict.fromkeys(("quoi", "quel", "quelle", "quels", "quelles"), "what"),
        "quand": "when",
        "où": "where",
        "pourquoi": "why",
        "comment": "how",
        "combien": "how much",
    },
    "es": {
        **dict.fromkeys(("quién", "quiénes"), "who"),
        **dict.fromkeys(("qué", "cuál", "cuáles"), "what"),
        "cuándo": "when",
        **dict.fromkeys(("dónde", "adónde"), "where"),
        "cómo": "how",
        **dict.fromkeys(("cuánto", "cuánta", "cuántos", "cuántas"), "how much"),
    },
}
MEASURES = _words("""
    well much many long often far old big fast late soon high deep large tall viel viele lange
    oft weit
    hoch groß alt
    """)
AUXILIARIES = _words("""
    is are was were am do does did can could will would should shall may might must has have had
    isn't aren't don't doesn't didn't can't won't ist sind kann können darf dürfen muss müssen hat
    haben wird werden gibt est sont peut peuvent dois doit es son puedo puede pueden hay está están
    """)
COPULAS = _words("is are was were ist sind war waren est sont es son")

BE = _words("is are was were be been being isn't aren't wasn't weren't")
ABILITIES = _words(
    "can could may might able can't couldn't kann können darf dürfen peut puede pueden"
)
OBJECTS = _words("me us mich mir uns")
REFLEXIVES = _words(
    "myself yourself yourselves himself herself itself ourselves themselves oneself"
)
PARTICIPLES = _words("""
    sent paid sold bought given written taken made done built known seen won lost kept held told
    taught chosen hidden shown drawn left put cut set found brought thought read hit led met fed
    hurt let lent spent lost laid said felt dealt meant caught sought shut split spread broken
    driven frozen spoken stolen sworn torn worn woken grown thrown flown begun run rung sung sunk
    come forgotten forgiven forbidden bound wound struck stuck shot beaten bitten eaten
    fallen risen gotten mistaken overseen outgrown withdrawn withheld rebuilt resold repaid resent
    """)

PAST, PERFECT, PRESENT, FUTURE = "past", "perfect", "present", "future"
PROGRESSIVE, PLUPERFECT = "progressive", "pluperfect"
CONDITIONAL, UNREAL = "conditional", "unreal"
HAVE = _words("have has had haven't hasn't hadn't")
MODALS = _words("""
    would should could might must may can wouldn't shouldn't couldn't mustn't can't ought
    """)
# They end like a verb in progress and are none: "is anything", "are earnings".
NO_PROGRESSIVES = _words("""
    anything something nothing everything thing king ring string spring during evening morning
    interesting boring missing outstanding existing pending willing building meeting training
    ceiling pricing marketing billing meaning engineering
    """)
TENSES: Mapping[str, Mapping[str, str]] = {
    "en": {
        **dict.fromkeys(("was", "were", "did", "wasn't", "weren't", "didn't"), PAST),
        **dict.fromkeys(("had", "hadn't"), PLUPERFECT),
        **dict.fromkeys(("would", "wouldn't"), CONDITIONAL),
        **dict.fromkeys(("has", "have", "hasn't", "haven't"), PERFECT),
        **dict.fromkeys(("will", "won't", "shall", "gonna"), FUTURE),
        **dict.fromkeys(
            _words("is are am do does isn't aren't don't doesn't can must"),
            PRESENT,
        ),
    },
    "de": {
        **dict.fromkeys(("würde", "würden", "hätte", "hätten", "wäre", "wären"), CONDITIONAL),
        **dict.fromkeys(
            [
                "war",
                "waren",
                "wurde",
                "wurden",
                "hatte",
                "hatten",
                "gab",
                "konnte",
                "konnten",
                "musste",
                "mussten",
                "durfte",
                "durften",
                "wollte",
                "wollten",
                "sollte",
                "sollten",
            ],
            PAST,
        ),
        **dict.fromkeys(("hat", "haben", "habe"), PERFECT),
        **dict.fromkeys(("wird", "werden"), FUTURE),
        **dict.fromkeys(
            [
                "ist",
                "sind",
                "gibt",
                "kann",
                "können",
                "muss",
                "müssen",
                "darf",
                "dürfen",
                "will",
                "wollen",
                "soll",
                "sollen",
            ],
            PRESENT,
        ),
    },
    "fr": {
        **dict.fromkeys(
            [
                "était",
                "étaient",
                "fut",
                "devait",
                "devaient",
                "pouvait",
                "pouvaient",
                "fallait",
                "avait",
                "avaient",
            ],
            PAST,
        ),
        **dict.fromkeys(
            ["serait", "seraient", "aurait", "auraient", "devrait", "pourrait"], CONDITIONAL
        ),
        **dict.fromkeys(("a", "ont"), PERFECT),
        **dict.fromkeys(("sera", "seront", "aura"), FUTURE),
        **dict.fromkeys(["est", "sont", "doit", "doivent", "peut", "peuvent", "faut"], PRESENT),
    },
    "es": {
        **dict.fromkeys(
            [
                "fue",
                "fueron",
                "era",
                "eran",
                "hubo",
                "debía",
                "debían",
                "podía",
                "podían",
                "había",
                "habían",
            ],
            PAST,
        ),
        **dict.fromkeys(["sería", "serían", "habría", "habrían", "debería", "podría"], CONDITIONAL),
        **dict.fromkeys(("ha", "han"), PERFECT),
        **dict.fromkeys(("será", "serán"), FUTURE),
        **dict.fromkeys(
            ["es", "son", "está", "están", "hay", "debe", "deben", "puede", "pueden"], PRESENT
        ),
    },
}
# Of verbs, where no auxiliary tells it; words in lower case that end so and are no past.
PAST_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "en": ("ed",),
    "de": ("te", "ten"),
    "fr": ("ait", "aient", "èrent"),
    "es": ("ó", "aron", "ieron", "aba", "aban"),
}
NO_PASTS = _words("""
    need speed feed seed embed exceed proceed succeed indeed bed red
    heute bitte erste ersten zweite zweiten dritte dritten letzte letzten seite seiten unten hinten
    fait
    """)
DO_SUPPORT = _words("do does did don't doesn't didn't")
IRREGULAR_PASTS = _words("""
    bought sold paid left gave sent won lost met said took went made got came began ran wrote told
    spoke built chose drove fell found held kept knew led rose saw spent taught thought lent stood
    understood withdrew withheld broke brought caught dealt drew ate felt forgot froze grew heard
    hid laid lay meant rode sang sank sat sought shook shot spoke stole stuck struck swore threw
    wore woke hung fled fed fought bound bent burnt lit overcame oversaw rebuilt resold repaid
    """)

# Openers of requests; elsewhere a capital letter marks a name.
OPENERS = _words("""
    steps step explain tell list describe give show find please compare define name need want
    looking anyone somebody hi hello hey okay ok thanks dear
    """)
