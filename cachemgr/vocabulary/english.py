"""English words that decide what a question means, for the guards."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ARTICLES = _words("a an the our my your their his her its this that these those")

FUNCTION_WORDS = ARTICLES | _words("""
    about am an and any anyone anything are as at been but by can could did do does else for from
    had has have he hers him i if in into is it let may me might mine much must myself of off on
    onto or ought ours out over please shall she should so some someone something than theirs them
    then there they thing things to too up us very was we were will with would you yours yourself
    also way ways how what which who whom whose when where why many one ones
    """)

NEGATIONS = {
    **dict.fromkeys(
        _words("not no never neither nor none nobody nothing nowhere cannot non"), "not"
    ),
    **dict.fromkeys(_words("without lack lacking"), "without"),
}

QUALIFIERS = _words("""
    only except excluding including besides unless until till before after during since within
    least most minimum maximum min max more less fewer over under above below between both either
    always every each all half per instead than first last next previous other another same
    different again still already yet new old must should
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

CALENDAR_WORDS = _words("""
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
    saturday sunday mon tue tues wed thu thur thurs fri sat sun spring summer autumn winter
    christmas easter q1 q2 q3 q4 h1 h2
    """)
AMBIGUOUS_CALENDAR_WORDS = _words("may march mar sat sun mon wed spring fall")
PERIODS = _words("minute hour day night week weekend fortnight month quarter year decade century")
PERIOD_ADVERBS = _words("hourly daily nightly weekly monthly quarterly yearly annual annually")
RELATIVE_DAYS = _words("today yesterday tomorrow tonight now currently ago ytd")
RELATIVE_PERIODS = _words("this last next past previous coming current")

UNITS = PERIODS | _words("""
    % percent percentage point dollar usd euro eur pound gbp cent k thousand million billion m bn
    mm cm km metre meter mile foot feet inch kg kilogram gram g lb pound ton tonne litre liter ml
    kb mb gb tb byte bit hz khz mhz ghz second sec min hr ms s h d celsius fahrenheit degree volt
    watt kw kwh user seat licence license tier level version stage phase step part chapter
    """)

NUMBER_WORDS = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "dozen": "12",
    "half": "1/2",
    "third": "3rd",
    "second": "2nd",
    "fourth": "4th",
    "fifth": "5th",
    "double": "x2",
    "twice": "x2",
    "triple": "x3",
    "single": "1",
}

QUESTION_WORDS = _words("what which who whom whose when where why how")
MEASURES = _words("much many long often far old big fast late soon high deep large tall")
AUXILIARIES = _words(
    """
    is are was were am do does did can could will would should shall may might must has have had
    isn't aren't don't doesn't didn't can't won't
    """
)

# Openers of requests; elsewhere a capital letter marks a name.
OPENERS = _words("""
    steps step explain tell list describe give show find please compare define name need want
    looking anyone somebody hi hello hey okay ok thanks dear
    """)
