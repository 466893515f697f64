"""Ways to say the same in any context: rewritten before questions are compared."""

_CAN_YOU = "(?:can|could) (?:you|someone|anyone) (?:please )?"
_EASY = r"(?:\w*best |good |easy |simple |easiest )"
_IS_THERE_A_WAY = "(?:is there (?:a|any) way|is it possible|would it be possible)"
_WAYS = "(?:ways?|steps?|methods?)"
_EXPERIENCED = (
    "seen|watched|read|heard|made|written|met|received|used|visited|eaten|come across|encountered"
)

# Pattern and what it is read as; matched without regard to case, in this order.
PHRASES: tuple[tuple[str, str], ...] = (
    # Contractions, also typed without an apostrophe.
    (r"\b(what|who|where|when|how|why|that|there|here)'?s (?=\w)", r"\1 is "),
    (r"\bit's (?=\w)", "it is "),
    (r"\b(i|you|we|they)'ve\b", r"\1 have"),
    (r"\b(you|we|they)'re\b", r"\1 are"),
    (r"\bi'?m\b", "i am"),
    (r"\b(i|you|he|she|it|we|they)'ll\b", r"\1 will"),
    (r"\b(i|you|he|she|we|they)'d\b", r"\1 would"),
    (r"\b(do|does|did|is|are|was|were|would|should|could|has|have)nt\b", r"\1n't"),
    (r"\b(cant|cannot|can not)\b", "can't"),
    (r"(?<=[a-z]{2})-(?=[a-z]{2})", " "),
    (r"\bpresent(s?)(?= (?:\w+ ){0,4}(?:received|given|got)\b)", r"gift\1"),
    # Politeness and what only introduces the question.
    (r"^(?:hi|hello|hey|good morning|dear \w+)(?: there| all| team)?[,!.]+ ", ""),
    (r"^(?:just )?(?:a )?(?:quick|short|small) question[:,.-]? ?", ""),
    (rf"^(?:please )?{_CAN_YOU}(?:tell me|explain(?: to me)?) (?=wh|how|if)", ""),
    (r"^(?:please )?(?:do you know|does anyone know|tell me) (?=wh|how|if)", ""),
    (r"^i(?: want|'d like| would like| need) to know (?=wh|how|if)", ""),
    (rf"^{_CAN_YOU}(?:list|show|give me|show me) ", ""),
    (r"^(?:please )?(?:list of|list|show me|give me|i need|i am looking for|i'm looking for) ", ""),
    (r"^if (?=\w)", "whether "),
    (r"[,]? (?:please|bitte|s'il vous plaît|por favor|thanks|thank you)(?=[?.! ]*$)", ""),
    # What asks for a manner, a reason, a time, a place, a person.
    (rf"\bwhat (?:are|is) (?:some |the |a )*(?:of the )?{_EASY}*{_WAYS} (?:to|of|for) ", "how to "),
    (
        r"\bwhich (?:are|is) (?:some |the |a )*(?:best )?(?:ways?|methods?) (?:to|of|for) ",
        "how to ",
    ),
    (
        r"\bwhat (?:can|should|must|do|could) (?:i|we|you|one) (?:have to )?do (?:in order )?to ",
        "how to ",
    ),
    (r"^(?:the )?(?:best way|steps|way|ways|instructions) to ", "how to "),
    (r"\bwhat (?:is|are|was|were) the (?:main )?reasons? (?:for|behind|that|why) ", "why is "),
    (r"\bfor what reason\b", "why"),
    (r"\b(?:at|in) (?:the|this) (?:moment|present time)\b|\bright now\b", "now"),
    (r"\b(?:cell|mobile|smart) phone(s?)\b", r"phone\1"),
    (r"\bweb site(s?)\b", r"website\1"),
    (r"\b(?:wake|get)(s?) up\b", r"wake\1"),
    (r"\bcope with\b", "deal with"),
    (r"\bin the (?:state|city|town|country) of (?=\w)", "in "),
    (r"\b(what (?:is|are) the (?:\w+ )?advantages?) in (?=\w+ing\b)", r"\1 of "),
    (r"\banything but\b", "not except"),
    (r"\bfree of charge\b|\bfor free\b", "free"),
    (r"^(?:please )?give me (?:a |the )?list of (?:all )?", ""),
    (r"\bobtain(s|ed|ing)?\b", "get"),
    (r"\b(received?|birthday|wedding|christmas|farewell) presents?\b", r"\1 gift"),
    (r"\bbelow(?= [$€£\d])", "under"),
    (r"\babove(?= [$€£\d])", "over"),
    (r"\busa\b", "US"),
    (r"\baside from\b", "besides"),
    (r"\bmost (?=\w{3,}est\b)", ""),
    (r"\b(?:at|in) present(?: time)?(?=[?.! ]*$)", "now"),
    (r"\bhuman beings?\b", "people"),
    (r"\b(?:do|did|can) you guys\b", "do you"),
    (r"\b(what|which|who) do you think (?:are|is)(?: some)?(?: of)?\b", r"\1 are"),
    (
        r"\bwhat(?:'s| is) your take on\b|\bwhat you think (?:on|of|about)\b",
        "what do you think about",
    ),
    (r"\b(?:at )?what time\b|\bon (?:what|which) (?:date|day)\b", "when"),
    (r"\b(?:in|at) (?:what|which) place\b", "where"),
    (r"\b(?:what|which) (?:person|people|persons)\b", "who"),
    (r"\bat what interval\b", "how often"),
    (rf"\b{_IS_THERE_A_WAY} (?:to|for me to|for us to) ", "can i "),
    (r"\bhow come\b", "why"),
    (r"\b(what|which) (?:kind|type|sort)s? of\b", r"\1"),
    (r"\b(?:using|utili[sz]ing)\b", "with"),
    (r"\b(how (?:can|do|could) (?:i|you|one|we)) tell (?=if|whether|that)", r"\1 know "),
    (r"\b(?:is|are|am) (?=(?:\w+ ){0,2}going to\b)", "will "),
    (r"\bgoing to (?=\w)", ""),
    (r"\b(?:on|over|via|through|using|with) (?:the )?internet\b", "online"),
    (r"\bwhat (is|are) in\b", r"what \1 inside"),
    (r"\bthink of\b", "think about"),
    (r"\bhow much time\b", "how long"),
    (r"\b(who|what|which) do you think (?=is|are|will|was)", r"\1 "),
    (r"[, ]+(?:in your opinion|according to you|what is your opinion|so far)(?=[?.!, ]|$)", ""),
    (r"\bdo you think (?=\w+ (?:is|are|will|can))", "is "),
    (r"\bwhat (?:is|are) (?:meant by|the concept of)\b", "what is"),
    # What every one of its sort is for: the best films to watch, that you have ever seen.
    (rf"(?: that)?(?: you| one| people)?(?: have)? ever (?:{_EXPERIENCED})\b", ""),
    (r"\b((?:best|good|must)(?: \w+){1,2}) to (?:visit|read|watch|see|buy|use|join|do)\b", r"\1"),
    (r"\b(?:had|needed) to (?=\w)", "had must "),
    (r"\b(?:have|has|needs?) to (?=\w)", "must "),
    # Verbs of several words.
    (r"\b(?:turn|switch|power)(s|ed|ing)? on\b", r"enable\1"),
    (r"\b(?:turn|switch|power)(s|ed|ing)? off\b", r"disable\1"),
    (r"\b(?:mak|earn)(e|ing|) money\b", "earn money"),
    (r"\b(my|our|your|their) own\b", r"\1"),
    (r"\bget(?:s|ting)? back\b", "recover"),
    (r"\bget(?:s|ting)? rid of\b|\bgot rid of\b", "remove"),
    (r"\bfind(?:s|ing)? out\b", "find"),
    (r"\bset(?:s|ting)? up\b", "setup"),
    (r"\bsign(?:s|ed|ing)? up\b", "register"),
    (r"\bwork(?:s|ed|ing)? out\b", "workout"),
    (r"\bleast expensive\b", "cheapest"),
    (r"\bleast (\w+)\b", r"least \1"),
    (r"\bhead office\b|\bheadquartered\b", "headquarters"),
    (r"\bin force\b", "apply"),
    (r"\bu\.s\.a?\.?(?!\w)", "US"),
    # Terms and their abbreviations.
    (r"\bsingle sign[- ]on\b", "SSO"),
    (r"\b(?:two|2)[- ](?:factor|step) (?:authentication|verification)\b", "2FA"),
    (r"\bmulti-?[- ]?factor authentication\b", "MFA"),
    (r"\bchief executive(?: officer)?\b", "CEO"),
    (r"\bchief financial officer\b", "CFO"),
    (r"\bchief technology officer\b", "CTO"),
    (r"\bchief operating officer\b", "COO"),
    (r"\bhuman resources\b", "HR"),
    (r"\bkey performance indicator(s?)\b", r"KPI\1"),
    (r"\bnon-?disclosure agreement(s?)\b", r"NDA\1"),
    (r"\bservice[- ]level agreement(s?)\b", r"SLA\1"),
    (r"\breturn on investment\b", "ROI"),
    (r"\bfrequently asked questions\b", "FAQ"),
    (r"\beuropean union\b", "EU"),
    (r"\bunited states(?: of america)?\b", "US"),
    (r"\bunited kingdom\b", "UK"),
    (r"\bdata ?sheet\b", "datasheet"),
    (r"\be-mail", "email"),
    (r"\bmachine learning\b", "ML"),
    (r"\bartificial intelligence\b", "AI"),
)

BEST = "best"

# A line of words that may stand for each other; the first is the one compared.
SYNONYMS = """
best good great greatest top nice nicest awesome
remove delete erase eliminate
buy purchase acquire
begin start commence
close shut
movie film cinema
website site
phone mobile cellphone smartphone telephone
child kid children
man men male guy guys
woman women lady female
person people everyone everybody
teenager teen
mouse mice
foot feet
tooth teeth
afraid scared frightened
pointless meaningless
make create build develop built
calculate determine compute
interesting cool
problem challenge issue
main major
biggest largest
fastest quickest
smartest cleverest
simplest easiest
richest wealthiest
therapeutic therapeutical
gravity gravitational
density dense
trick hack
wedding bridal
evil bad wrong
wonderful amazing
difference distinction different differ
prepare preparation
technology technological technologically
addictive addicting
implication consequence
answer reply
supervisor advisor adviser
hobby pastime
alien extraterrestrial
education educational
plane airplane aeroplane
effect impact
boost increase
reduce decrease lessen
rotate spin
gasoline gas petrol
novel book
world earth
equipment tool
retrieve recover restore
replace change
book reserve
dismiss fire
find search locate
improve enhance
use utilize utilise
help assist
important significant
require need
fix repair
happen occur
event incident
picture photo photograph image pic
smart intelligent clever
yoghurt yogurt
institute institution
architecture architectural
describe explain
mean meaning meant signify definition
license licence
center centre
color colour
organization organisation
program programme
favorite favourite
percent percentage
country nation
company firm
car automobile
bike bicycle
tv television
advert advertisement ad
exam examination
maths math mathematics
holiday vacation
doctor physician
lawyer attorney
customer client
vendor supplier
error mistake
gigabyte gb
megabyte mb
terabyte tb
kilobyte kb
kilogram kg
kilometre kilometer km
metre meter
litre liter
allow permit
forbid prohibit
question query
maximum max
minimum min
information info
application app
fast quick rapid
big large huge
small little
rich wealthy
end expire finish
cancel terminate
churn leave
speak talk
enable activate
disable deactivate
cheap inexpensive
löschen entfernen
eliminar borrar
eliminas borras
elimino borro
supprimer effacer
"""


def synonym_lines() -> list[list[str]]:
    """Return the lines of SYNONYMS, as lists of words."""
    return [line.split() for line in SYNONYMS.strip().splitlines()]
