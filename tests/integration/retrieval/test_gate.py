"""The gate, with the real model: what is no evidence must not feed an answer."""

import pytest

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.services import ensure_source, refresh_term_statistics, store_documents
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from retrieval.types import Verdict
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

DOCUMENTS = {
    "refund-policy": "Refund policy for the EU. Customers in the European Union may return goods "
    "within 30 days of delivery and get their money back to the card they paid with.",
    "refund-usa": "Refunds in the United States are given as store credit. A cash refund is "
    "possible only when the product was damaged on arrival.",
    "refund-time": "A refund takes five to seven working days to reach the bank account after the "
    "warehouse has inspected the returned parcel.",
    "refund-form": "To ask for a refund fill in the return form, attach the invoice and pictures "
    "of the damage, and send it to the support desk.",
    "exceptions": "Downloads, gift cards and opened cosmetics cannot be returned or refunded.",
    "contract-term": "The service contract runs for 24 months and renews by itself for 12 months "
    "unless it is cancelled in writing three months before it ends.",
    "contract-sla": "Service level: the supplier answers critical incidents within four hours and "
    "pays a penalty of 5 % of the monthly fee for each missed deadline.",
    "contract-liability": "Liability is limited to the fees paid in the twelve months before the "
    "damage. Neither party is liable for lost profit.",
    "contract-signature": "Contracts above 50,000 euros are signed by the managing director and "
    "the head of legal; smaller ones by the head of department.",
    "contract-privacy": "The data processing agreement is annex C of the contract and binds both "
    "parties to the GDPR; personal data are deleted 90 days after the contract ends.",
}

ON_TOPIC = """refund policy EU
How long do EU customers have to return goods?
Can I get my money back in the United States?
Do American customers receive store credit?
When is a cash refund possible in the USA?
How many days until the refund is in my bank account?
Who inspects the returned parcel?
How do I ask for a refund?
What must be attached to the return form?
Where do I send the return form?
Can gift cards be refunded?
Can I return opened cosmetics?
Are downloads refundable?
Which products cannot be returned?
How long does the service contract run?
Does the contract renew automatically?
How do I cancel the contract?
What is the notice period for cancelling the contract?
How fast does the supplier answer critical incidents?
What is the penalty for a missed deadline?
What service level was agreed?
Is the liability of the supplier limited?
Who is liable for lost profit?
Who signs contracts above 50,000 euros?
Who may sign small contracts?
Does the managing director have to sign?
Where is the data processing agreement?
When are personal data deleted?
Does the contract follow the GDPR?
Which annex is about data processing?
refund of a damaged product
return period in the European Union
refund for a gift card
time until a refund arrives
contract renewal
cancellation of the contract in writing
penalty on the monthly fee
liability limit in the contract
signature of the head of legal
deletion of personal data after the contract""".splitlines()

OFF_TOPIC = """vrolk tindabesh quoopal
weather on Mars yesterday
How do I bake sourdough bread?
Who won the football world cup in 1998?
What is the boiling point of ethanol?
How far is the moon from the earth?
Recipe for a vegetarian lasagne
Who painted the Sistine Chapel?
Which planet has the most rings?
How do bees make honey?
What is the capital of Mongolia?
How do I tune a guitar?
Explain the rules of chess
When did the Roman Empire fall?
How tall is Mount Everest?
What do pandas eat?
Why is the sky blue?
How many strings does a violin have?
What is photosynthesis?
Who wrote War and Peace?
How deep is the Mariana trench?
How do I train my dog to sit?
What causes an earthquake?
Best hiking trails in Norway
Which vitamins are in an orange?
How does a steam engine work?
What is the speed of light?
Symptoms of a common cold
How do I knit a scarf?
What is the largest desert?
Who discovered penicillin?
How do I plant tomatoes?
What language is spoken in Brazil?
How do birds migrate?
What is a black hole?
How long do elephants live?
How do I swim butterfly?
Which instruments are in a string quartet?
How are diamonds formed?
blorp fnarg wibbly zub""".splitlines()


@pytest.fixture
def desk(seeded):
    seed_profiles()
    outcomes = store_documents(
        source=ensure_source(name="Help desk"),
        parsed=[ParsedDocument(external_id=name, text=text) for name, text in DOCUMENTS.items()],
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=NOW,
    )
    assert len(list(outcomes)) == 10
    refresh_term_statistics()


def is_open(question):
    result = search(SearchRequest(question=question), reader_tags=EVERYONE, now=NOW)
    return result.judgment.verdict is not Verdict.NONE


def test_search__the_gate_opens_for_what_is_known_and_closes_for_the_rest(desk):
    assert not is_open("vrolk tindabesh quoopal")
    assert not is_open("weather on Mars yesterday")
    assert is_open("refund policy EU")
    closed_on_topic = [question for question in ON_TOPIC if not is_open(question)]
    open_off_topic = [question for question in OFF_TOPIC if is_open(question)]
    assert len(ON_TOPIC) == len(OFF_TOPIC) == 40
    assert len(closed_on_topic) <= 2, closed_on_topic
    assert len(open_off_topic) <= 2, open_off_topic
