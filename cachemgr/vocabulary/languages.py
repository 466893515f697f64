"""Everyday words that give a language away, each in one of the languages only."""

from collections.abc import Mapping


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


EVERYDAY_WORDS: Mapping[str, frozenset[str]] = {
    "en": _words("""
        the of and to is are was were what which who whom whose when where why how do does did can
        could will would should shall may might must have has had our your my their his its this
        that these those for from with without about into not it they we you if by at be been there
        an only please any some many much us i he she before after between or than
        """),
    "de": _words("""
        der das den dem ein eine einen einem einer eines und oder nicht kein keine keinen ist sind
        wird werden wurde wurden wer wen wem wessen wie wann warum wieso weshalb wo woher wohin
        welche welcher welches welchen kann kannst können könnte muss müssen darf dürfen soll sollen
        ich wir ihr sie mein meine unser unsere unseren für von vom mit ohne bei beim zu zum zur auf
        aus nach vor über unter zwischen wenn dass gibt habe haben hat im ins am wieviel viel viele
        nur auch noch bitte lange
        """),
    "fr": _words("""
        le les du des une et ou ne pas est sont était sera qui que quoi quel quelle quels quelles
        quand où pourquoi comment combien puis peut peuvent dois doit faut je nous vous ils elles
        mon ma mes notre nos votre vos leur leurs pour dans avec sans chez sur sous entre avant
        après aux au ce cette ces il elle y dont jamais rien aucun aucune été qu'est est-ce
        """),
    "es": _words("""
        el los las una uno unos unas y o es son está están fue será qué quién quiénes cuál cuáles
        cuándo dónde cómo cuánto cuánta cuántos cuántas puedo puede pueden debo debe nuestro nuestra
        nuestros mi mis su sus del al para por con sin en desde hasta sobre entre antes después hay
        se lo nunca nada ningún ninguna también solo sólo tiene tienen
        """),
}
"""By ISO 639-1 code."""

LETTERS: Mapping[str, str] = {"de": "ß", "fr": "çœèêûîôë", "es": "ñ¿¡"}
"""Letters that count as a word of the language."""
