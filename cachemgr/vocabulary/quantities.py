"""Numbers, units, dates and periods in words."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


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
    watt kw kwh am pm user seat licence license tier level version stage phase step part chapter
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
