"""Words that mean something else than the word they would be stemmed to."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# car, plan, account, new, app: by taking away an ending these would become other words.
NOT_STEMMED = _words("""
    care plane rate site wine fine pine cape stare note bare here tape tube robe ride mate cane hate
    pane fare fire wire tone vine prime made white quite cute huge mode code rage sage wage bite
    kite
    accounting marketing building meeting engineering banking consulting manufacturing shipping
    housing parking clothing earning saving setting hearing rating listing offering holding
    news goods customs sales means series species glasses
    apply supply reply comply multiply assembly family anomaly early daily
    limited united advanced founded wounded bounded grounded
    """)
