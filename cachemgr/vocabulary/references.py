"""Words by which a question points at what was said before it, by language."""

from collections.abc import Mapping
from dataclasses import dataclass


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """How a language refers back; everything in lower case.

    `continuations` open a question that goes on; `prepositions` open a fragment where nothing is
    asked. `pronouns` need something named in an earlier clause, `possessives` anywhere before.
    `pointers` ("this") are fine before a word of `pointed_periods` ("week"); `joining_pointers` may
    also join clauses ("that"). `determiners` introduce what a pronoun may stand for; a last word
    after one of `asked_of` names something too. `boundaries` begin a clause; so do `joints` before
    a word of `askers`, and `subjects` unless after one. `empty_subjects` are patterns of pronouns
    that stand for nothing ("it takes two days to"); `follow_ups` are patterns that ask for more of
    the same.
    """

    continuations: frozenset[str]
    prepositions: frozenset[str]
    pronouns: frozenset[str]
    possessives: frozenset[str]
    pointers: frozenset[str]
    joining_pointers: frozenset[str]
    pointed_periods: frozenset[str]
    determiners: frozenset[str]
    boundaries: frozenset[str]
    subjects: frozenset[str]
    joints: frozenset[str]
    askers: frozenset[str]
    asked_of: frozenset[str]
    function_words: frozenset[str]
    empty_subjects: str
    follow_ups: str


GREETINGS = _words("""
    hi hello hey dear thanks thank you please ok okay all everyone there hallo guten tag danke bitte
    bonjour merci salut hola gracias buenos días
    """)
"""A sentence of these says nothing."""

ORDINALS = _words("""
    first second third fourth fifth last one two three four five six seven eight nine ten
    erste zweite dritte letzte premier première deuxième dernier primero primera segundo segunda
    """)

NO_REFERENCES = _words("IT Sie Ihr Ihre Ihren Ihrem Ihrer Ihnen")
"""Written like this they are a name, or the polite form of address."""

_ENGLISH_ASKERS = _words("""
    what which who whom whose when where why how is are was were am do does did can could will would
    shall should may might must has have had
    """)

REFERENCES: Mapping[str, References] = {
    "en": References(
        continuations=_words("and or but also plus"),
        prepositions=_words("""
            in for on with without at by from to of about per since until till after before during
            under over than like except instead into between
            """),
        pronouns=_words("it they them he him she"),
        possessives=_words("its their theirs his her hers itself themselves himself herself"),
        pointers=_words("this these those"),
        joining_pointers=_words("that"),
        pointed_periods=_words("""
            minute hour day days week weekend fortnight month quarter year decade century morning
            afternoon evening time spring summer autumn winter monday tuesday wednesday thursday
            friday saturday sunday january february march april may june july august september
            october november december
            """),
        determiners=_words("""
            the a an my our your every each any some no all both many few several most which what
            whose another someone somebody anyone anybody everyone everybody
            """),
        boundaries=_words("""
            if when while because that which who whose after before once so than unless until
            where why how what since although though
            """),
        subjects=_words("i we you he she they"),
        joints=_words("and or but"),
        askers=_ENGLISH_ASKERS,
        asked_of=_words("""
            is are was were am does did can could will would shall should may might must in for on
            with at by from of about per since until till after before during under over into
            between
            """),
        function_words=_ENGLISH_ASKERS
        | _words("""
            not n't it they them he him she i we you me us there the a an one ones and or but more
            else then so many much long often please yes no ok okay really that this these those in
            on for of to with at by about my our your way thing things mean get got be been being
            too as well exactly just only next last previous other another same all any some than
            """),
        empty_subjects=r"""
            \b(?:is|was|be|isn't|would|will)\ it\ (?:be\ )?
              (?:(?:\w+\ ){0,3}?(?:to|that|if)|for\b.*?\ to|(?:\w+\ ){1,3}?for|worth|like)\b
            | \bit(?:'s|\ is|\ was|\ be|\ will\ be|\ would\ be)\ (?:\w+\ ){0,3}?(?:to|that|if)\b
            | \bwhat's\ it\ like\b | \bworth\ it\b
            | \b(?:does|do|did|will|would|should|can|could)\ it\ (?:take|cost|mean|matter|feel|make)
              \b.*?\b(?:to|for|if|when|that|be)\b
            | \bit\ (?:takes?|took|costs?|matters?|means?|makes|seems|feels)\b
              .*?\b(?:to|if|when|that|for)\b
            """,
        follow_ups=r"""
            \b(?:what|how)\ about\b | \bsame\ (?:for|in|to|with|question|thing|again)\b
            | \bthe\ same$
            | \b(?:what|who|where|anything|anyone|something|nothing|how)\ else\b(?!\ than)
            | \bthe\ (?:former|latter|above|others?|rest)$ | \b(?:the|that|this|which|other|another
              |first|second|third|fourth|fifth|last|next|previous|right|wrong)\ one
              (?:\b(?!\ (?:of|or)\b)|s$)
            | \b(?:former|latter|aforementioned|above-mentioned)\b
            | \byou(?:'ve|\ have|\ just)?\ (?:said|say|mentioned|mention|told|wrote|listed)\b
            | \byou(?:'ve|\ have|\ just)?\ (?:meant|mean)\b
            | \byour\ (?:last|previous|first|earlier)?\ ?(?:answer|reply|response)\b
            | ^(?:please\ )?(?:tell\ me\ more|go\ on|continue|elaborate|more|summari[sz]e|translate
              |explain|rephrase|shorter|longer|again|repeat)\b
              (?:\ (?:please|again|in\ \w+|more|further|in\ more\ detail|that|it|details?))*$
            | \b(?:instead|too|as\ well|either|though|then|as\ before|so\ far)$
            | (?<!is\ )(?<!are\ )\bthere$
            | ^(?:why|how|when|where|who|what|which)(?:\ (?:not|so|exactly|much|many|long|then))?$
            """,
    ),
    "de": References(
        continuations=_words("und oder aber auch"),
        prepositions=_words("""
            in im für auf mit ohne bei beim von vom zu zum zur aus nach vor seit bis über unter ab
            an am gegen
            """),
        pronouns=_words("er sie es ihn ihm ihnen"),
        possessives=_words("""
            sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer dessen deren davon dafür
            damit dazu darin daran darauf darüber dabei dort
            """),
        pointers=_words("dieser dieses diese diesen diesem jene jener jenes"),
        joining_pointers=frozenset(),
        pointed_periods=_words(
            "tag tage woche monat quartal jahr jahres monats sommer winter herbst frühjahr mal"
        ),
        determiners=_words("""
            der die das den dem des ein eine einen einem einer eines mein meine meinen unser unsere
            unseren kein keine jeder jede jedes alle welche welcher welches welchen jemand
            """),
        boundaries=_words("wenn falls ob weil dass nachdem bevor sobald wer wie wann warum wo was"),
        subjects=_words("ich wir er"),
        joints=_words("und oder aber"),
        askers=_words("""
            wer wen wem was wie wann warum wieso wo woher wohin welche welcher welches ist sind kann
            können muss müssen darf dürfen wird werden hat haben gibt gilt kostet
            """),
        asked_of=_words("ist sind war für mit ohne bei von zu zur zum aus nach vor über unter"),
        function_words=_words("""
            wer wen wem was wie wann warum wieso weshalb wo welche welcher welches ist sind das die
            der den dem und oder aber auch noch mehr viel lange oft denn dann so nicht für in im mit
            ich wir es er sie ihn ihm ihr bitte ja nein ein eine eins zu zum da hier gut davon dafür
            damit dazu geht sieht aus
            """),
        empty_subjects=r"""
            \bgibt\ es\b | \bes\ gibt\b | \b(?:ist|wäre)\ es\ \w+\b.*?\b(?:zu|dass|wenn)\b
            | \bes\ \w+\ (?:dass|zu)\b | \b(?:dauert|geht|handelt)\ es\b.*?\b(?:bis|um|zu|wenn)\b
            """,
        follow_ups=r"""
            \bwas\ ist\ mit\b | \bwie\ (?:ist|sieht|steht)\ es\b | \b(?:das|dies)$ | \bdasselbe\b
            | \b(?:wer|was|wo)\ sonst\b | ^(?:erzähl|sag)\ mir\ mehr\b | ^weiter$
            | \b(?:den|die|das|der)\ (?:ersten?|zweiten?|dritten?|letzten?|anderen?)$
            """,
    ),
    "fr": References(
        continuations=_words("et ou mais aussi"),
        prepositions=_words("en dans pour avec sans chez sur sous avant après depuis de du à au"),
        pronouns=_words("""
            il elle ils elles lui eux celui celle ceux celles celui-ci celle-ci ceux-ci cela ça ceci
            """),
        possessives=_words("leur leurs son sa ses"),
        pointers=_words("ce cet cette ces"),
        joining_pointers=frozenset(),
        pointed_periods=_words(
            "jour semaine mois trimestre année été hiver printemps automne matin soir"
        ),
        determiners=_words("""
            le la les l' un une des du mon ma mes notre nos votre vos chaque tout toute tous toutes
            aucun aucune quel quelle quels quelles quelqu'un
            """),
        boundaries=_words(
            "si quand lorsque parce que après avant dès qui dont où comment pourquoi"
        ),
        subjects=_words("je nous il ils elle elles"),
        joints=_words("et ou mais"),
        askers=_words("""
            qui que quoi quel quelle quels quelles quand où pourquoi comment combien est sont peut
            peuvent dois doit faut a ont
            """),
        asked_of=_words("est sont pour avec sans de du sur chez en"),
        function_words=_words("""
            qui que quoi quel quelle quels quelles quand où pourquoi comment combien est sont le la
            les un une et ou mais aussi plus alors donc pas ne pour en dans avec je nous vous il
            elle ils elles eux lui ça cela celui celle ceux deux encore oui non à de du y fait sinon
            """),
        empty_subjects=r"""
            \bil\ y\ a\b | \by\ a\ t\ il\b | \bil\ (?:faut|vaut|suffit|s'agit)\b | \bfaut\ il\b
            | \bil\ est\ \w+\ (?:de|que)\b | \best\ il\ \w+\ (?:de|que)\b
            """,
        follow_ups=r"""
            \bqu'en\ est\b | \bet\ si\b.*\bça\b | \bla\ même\ chose\b | \bquoi\ d'autre\b
            | \b(?:le|la|les)\ (?:premi[eè]re?|deuxième|seconde?|derni[eè]re?|autres?)$
            | ^(?:pourquoi|comment|quand)\ pas$ | \bdis\ m'en\ plus\b
            """,
    ),
    "es": References(
        continuations=_words("y e o pero también"),
        prepositions=_words("en para con sin por de del desde hasta sobre antes después tras a al"),
        pronouns=_words("él ella ellos ellas ello eso esto aquello aquellos"),
        possessives=_words("su sus suyo suya"),
        pointers=_words("este esta estos estas ese esa esos esas aquel aquella"),
        joining_pointers=frozenset(),
        pointed_periods=_words("día semana mes trimestre año verano invierno vez mañana tarde"),
        determiners=_words("""
            el la los las un una unos unas mi mis nuestro nuestra nuestros nuestras cada todo toda
            todos todas ningún ninguna qué cuál alguien
            """),
        boundaries=_words("si cuando porque que después antes quien dónde cómo cuándo"),
        subjects=_words("yo"),
        joints=_words("y o pero"),
        askers=_words("""
            qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas es son
            puedo puede pueden debo debe hay está están tiene tienen
            """),
        asked_of=_words("es son para con sin de del por sobre en"),
        function_words=_words("""
            qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas es son el
            la los las un una y o pero también más entonces no sí para en con por de del yo nosotros
            él ella ellos ellas eso esto lo le otro otra está cuesta cuestan
            """),
        empty_subjects=r"(?!)",
        follow_ups=r"""
            \bqué\ (?:tal|pasa\ con|hay\ de)\b | \blo\ mismo\b | \bqué\ más\b | \bpor\ qué\ no$
            | \b(?:el|la|los|las)\ (?:primer[oa]|segund[oa]|tercer[oa]|últim[oa]|otr[oa]s?)$
            | \b\w+(?:ar|er|ir)(?:lo|la|los|las|le|les)\b
            """,
    ),
}
"""By ISO 639-1 code."""
