"""Words that turn the meaning of a question around, or limit it."""

from collections.abc import Mapping


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


NEGATIONS: Mapping[str, str] = {
    **dict.fromkeys(
        _words("""
            not no never neither nor none nobody nothing nowhere cannot non nicht kein keine keinen
            keinem keiner nie niemals niemand nichts pas jamais aucun aucune rien personne nunca
            nada ningún ninguna ninguno nadie jamás
            """),
        "not",
    ),
    **dict.fromkeys(_words("without lack lacking ohne sans"), "without"),
}
# "sin" is English too.
NEGATIONS_BY_LANGUAGE: Mapping[str, Mapping[str, str]] = {
    "es": {"sin": "without"},
    "fr": {"personne": ""},
}
NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de", "mis", "nicht", "anti")

QUALIFIERS = _words("""
    only except excluding including besides unless until till before after during since least most
    minimum maximum min max more less fewer over under above below either always every each all half
    per instead than first last next previous other another same different again still already yet
    new old must should sometimes often rarely usually nur außer ausschließlich mindestens
    höchstens vor immer manchmal jeder jede jedes alle mehr weniger sondern seulement sauf avant
    après toujours parfois chaque tous toutes plus moins solo sólo solamente excepto antes después
    siempre todos todas más menos cada mainly also or oder ou out off up down away within
    """)

# Every line is one axis with the words of its two poles; a word counts by its stem.
OPPOSITES = """
enable activate / disable deactivate
allow permit grant let / forbid deny block prohibit prevent refuse
increase raise grow rise gain / decrease reduce lower shrink fall drop lose
start begin open launch / stop end close quit finish
add insert / remove delete
buy purchase / sell
import / export
upload / download
upgrade / downgrade
install / uninstall
login signin / logout signout
send / receive
lend / borrow
give / take
win / lose
accept approve / reject decline
include / exclude
join enter / leave exit
inbound incoming / outbound outgoing
internal / external
public / private
minimum min least / maximum max most
best good better / worst bad worse
advantage pro benefit / disadvantage con drawback
high higher / low lower
long longer / short shorter
big large larger bigger / small smaller little
many much / few little fewer
fast faster quick / slow slower
cheap cheaper / expensive costly
early earlier / late later
old older / new newer young younger
hot hotter / cold colder
strong stronger / weak weaker
hard harder difficult / easy easier
legal / illegal
possible / impossible
true / false
safe / unsafe dangerous
paid / free unpaid
man male boy husband father / woman female girl wife mother
employer / employee
buyer customer client / seller vendor supplier
landlord / tenant
sender / recipient
encrypt / decrypt
lock / unlock
subscribe / unsubscribe
follow / unfollow
push / pull
connect / disconnect
attach / detach
hire / fire
credit / debit
asset / liability
profit / loss
revenue income / cost expense
gross / net
north northern / south southern
east eastern / west western
left / right
"""

# "turn on", "log out": the particle carries the meaning.
PARTICLES = _words("on off in out up down")
PARTICLE_VERBS = _words(
    "turn turned turning switch switched switching log logged logging sign signed signing "
    "opt opted opting check checked checking"
)
