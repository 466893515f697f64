"""Words that only connect others, and yet decide the meaning: prepositions, pronouns, particles."""

from collections.abc import Mapping

from cachemgr.vocabulary.languages import EVERYDAY_WORDS


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Prepositions, by what they say; those of one class may stand for each other.
RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(_words("of"), "of"),
    **dict.fromkeys(_words("to into onto towards toward unto"), "to"),
    **dict.fromkeys(_words("about regarding concerning"), "about"),
    **dict.fromkeys(_words("through via"), "through"),
    **dict.fromkeys(_words("until till"), "until"),
    **dict.fromkeys(_words("over above"), "over"),
    **dict.fromkeys(_words("under below beneath"), "under"),
    **dict.fromkeys(_words("among between amid"), "between"),
    **{
        word: word
        for word in _words("""
            for in at on with without from by against than before after during since within like
            near off out up down behind beyond across along around inside outside upon past per as
            """)
    },
}
# These pairs say the same; before a name only those of a place.
AKIN_BEFORE_NAMES = frozenset(map(frozenset, (("in", "at"), ("in", "on"), ("on", "at"))))
AKIN = frozenset(
    frozenset(pair.split())
    for pair in ("of for", "of in", "of on", "of at", "in at", "in on", "on at", "on about")
)
# "for me", "in one's life": who asks, not what is asked.
ASKERS = _words("i me my we us our you your one one's oneself myself yourself")
# Before a pronoun they add nothing: "for me", "in it".
VAGUE = _words("for of in on at with about")
WHOLES = _words("all every each always only both everyone everybody everything entirely fully")
# They add nothing to a question, wherever they stand.
LIGHT_WORDS = _words("ve idea soon guy anybody anyone happen find think & use make advance")
# A subject in general: what holds for me holds for us, where somebody asks how something is done.
PERSONS: Mapping[str, tuple[str, str]] = {
    "i": ("subject", "i"),
    "we": ("subject", "we"),
    "you": ("subject", "you"),
    "he": ("subject", "he"),
    "she": ("subject", "she"),
    "they": ("subject", "they"),
    "my": ("owner", "i"),
    "mine": ("owner", "i"),
    "our": ("owner", "we"),
    "ours": ("owner", "we"),
    "your": ("owner", "you"),
    "yours": ("owner", "you"),
    "his": ("owner", "he"),
    "her": ("owner", "she"),
    "hers": ("owner", "she"),
    "their": ("owner", "they"),
    "theirs": ("owner", "they"),
    "him": ("object", "he"),
    "them": ("object", "they"),
}
OTHERS = _words("he she they")
DETERMINERS: Mapping[str, str] = {
    "this": "this",
    "these": "this",
    "that": "that",
    "those": "that",
    **{word: word for word in _words("some any another such many much several")},
}
# They limit where they stand, also where the other question has none.
MARKERS = _words("else such")
FEW = _words("few little")
APPROXIMATELY = _words("about around approximately roughly nearly almost circa ca")
EXACTLY = _words("exactly precisely")

# Nouns that mean something else in the plural.
PLURALS_APART = _words("""
    damage interest minute security arm content premise saving ground manner spirit letter good
    custom force authority experience glass fund mean term spectacle holding earning proceed
    resource finance utility quality commodity facility
    """)
# Names that are also everyday words, where capitals tell.
NAMES_AND_WORDS = _words("""
    polish turkey china frank will bill mark rose grant chase target apple amazon shell gap oracle
    slack teams word excel access outlook notion box square stripe zoom meet drive sheets docs
    works may march august april june summer dawn hope grace faith joy art drew pat sue gene jack
    max miles rich ray dale glen cliff lance norm rob skip ward wade victor virgin orange subway
    windows edge safari opera go swift rust spark hive bolt lift shift reading bath cork nice
    mobile lima us it job guy chuck dick harry tony wren robin jay crystal ruby pearl amber ginger
    olive ivy iris heather holly daisy violet lily basil sage rosemary general national standard
    express global premier metro echo alexa nest ring line signal discord indeed
    monday clover toast gusto ramp brex front drift intercom segment branch loop pitch figma craft
    bear things flow pilot dynamics teams exchange office project planner forms lists stream
    """)
# Adverbs that mean something else than their adjectives.
ADVERBS_APART = _words("""
    lately nearly hardly highly shortly mostly partly barely scarcely justly presently readily
    largely fairly evenly outstandingly
    """)

# Not counted in German, French and Spanish: their absence changes nothing.
_UNWEIGHTY: Mapping[str, frozenset[str]] = {
    "de": _words("""
        der das den dem ein eine einen einem einer eines ist sind gibt bitte für von vom im in am
        bei beim zum zur und
        """),
    "fr": _words("le les du des une un est sont pour dans sur au aux à en et de chez"),
    "es": _words("el los las un uno una unos unas es son hay del de al en para se y la lo"),
}
WEIGHTY: Mapping[str, frozenset[str]] = {
    "de": (EVERYDAY_WORDS["de"] - _UNWEIGHTY["de"])
    | _words("""
        an ab auf aus zu weg hin her los fort mit vor nach über unter um durch gegen seit bis
        zwischen innerhalb außerhalb während trotz wegen statt ich du er sie es wir ihr man mich
        dich uns euch mir dir ihm ihn ihnen noch schon erst fast etwa mehr weniger würde würden
        hätte hätten wäre wären sollte sollten wollte wollten könnte könnten dürfte dürften müsste
        müssten womit wofür woran worauf woraus wovon wozu
        """),
    "fr": (EVERYDAY_WORDS["fr"] - _UNWEIGHTY["fr"])
    | _words("""
        sous hors dès jusque jusqu'à jusqu'en jusqu'au depuis pendant contre vers par malgré selon
        presque environ encore déjà serait seraient aurait auraient pourrait devrait doivent devait
        pouvait peux on tu lui
        """),
    "es": (EVERYDAY_WORDS["es"] - _UNWEIGHTY["es"])
    | _words("""
        bajo tras hacia contra durante según dentro fuera casi aproximadamente aún ya todavía sería
        serían habría habrían podría debería deben debía podía tú usted ellos ellas nosotros me te
        nos les
        """),
}
"""By ISO 639-1 code: the connecting words that both questions must have."""
# Who, whom, to whom; from where, to where.
ASKING_CASES = _words("wer wen wem woher wohin adónde")
# Separable parts of German verbs, at the end of a clause: "schalte ... ein".
SEPARABLE = _words("ein aus an ab auf zu vor nach weg hin her um mit los fort bei durch über unter")
