"""Ways to say that there is no answer, by language.

Patterns in lower case, with straight apostrophes; a space stands for any white space. They are
looked for at the beginning of an answer. In doubt an answer is refused: to ask the model once more
costs less than to serve "I don't know" for a week.
"""

from collections.abc import Mapping

_ENGLISH = (
    r"\b(?:i|we) (?:do not|don't|did not|didn't) (?:know|have|find|see|understand)\b",
    r"\b(?:i|we)(?: am|'m| are|'re| was| were) (?:sorry|afraid|unable|not (?:able|sure))\b",
    r"\b(?:i|we) (?:cannot|can't|can not|could not|couldn't|won't)\b",
    r"\b(?:unable|not able) to (?:answer|help|find|determine|provide|assist)\b",
    r"\b(?:not enough|insufficient|no(?: relevant)?) (?:information|evidence|context|data)\b",
    (
        r"\b(?:context|documents?|evidence|passages?|sources?) (?:do|does) not"
        r" (?:say|contain|mention|include|provide|answer|cover)\b"
    ),
    r"\bas an ai\b",
    r"\bno (?:answer|results?) (?:was|were)?\s*(?:found|available)\b",
    r"^\W*sorry\b",
)
_GERMAN = (
    r"\b(?:ich|wir) (?:weiß|weiss|wissen)\b[^.]{0,30}\bnicht\b",
    r"\b(?:ich|wir) (?:kann|können|konnte|konnten|habe|haben)\b[^.]{0,80}\b(?:nicht|keine?)\b",
    r"\b(?:kann|können|konnte|konnten) (?:ich|wir)\b[^.]{0,80}\b(?:nicht|keine?)\b",
    r"\bkeine (?:\w+ )?(?:informationen|angaben|belege|hinweise|antwort)\b",
    (
        r"\b(?:kontext|dokumente?n?|quellen?|passagen?|unterlagen)\b[^.]{0,40}"
        r"\b(?:enthält|enthalten|nennt|nennen|sagt|sagen|geht|gehen)\b"
        r"[^.]{0,30}\b(?:nicht|nichts|keine?)\b"
    ),
    r"^\W*(?:es )?tut mir leid\b",
    r"^\W*(?:leider|entschuldigung)\b",
)
_FRENCH = (
    r"\b(?:je|nous) (?:ne )?(?:sais|savons|connais) pas\b",
    (
        r"\b(?:je|nous) ne (?:peux|pouvons|trouve|trouvons|dispose|disposons|suis|sommes)\b"
        r"[^.]{0,40}\b(?:pas|aucune?)\b"
    ),
    r"\b(?:je|nous) n'(?:ai|avons)\b[^.]{0,40}\b(?:pas|aucune?)\b",
    r"\b(?:aucune|pas assez d'|pas d') ?(?:information|réponse|donnée)s?\b",
    r"\b(?:contexte|documents?|sources?|passages?) ne \w+ (?:pas|aucune?)\b",
    r"^\W*(?:je suis )?désolée?s?\b",
    r"^\W*malheureusement\b",
)
_SPANISH = (
    r"\bno (?:lo )?(?:sé|sabemos|puedo|podemos|encuentro|encontré|dispongo)\b",
    (
        r"\bno (?:hay|tengo|tenemos|existe|se encontró) (?:\w+ )?"
        r"(?:información|respuesta|datos|evidencia)\b"
    ),
    (
        r"\b(?:contexto|documentos?|fuentes?|pasajes?) no"
        r" (?:contienen?|mencionan?|dicen?|indican?|incluyen?|proporcionan?)\b"
    ),
    r"^\W*lo (?:siento|lamento)\b",
)
_ITALIAN = (
    r"\bnon (?:lo )?(?:so|sappiamo|posso|possiamo|trovo|dispongo|riesco)\b",
    r"\bnon (?:ho|abbiamo|ci sono|è disponibile) (?:\w+ )?(?:informazioni|risposta|dati)\b",
    (
        r"\b(?:contesto|documenti?|fonti?|passaggi) non"
        r" (?:contiene|contengono|menzionano?|dice|dicono|indicano?)\b"
    ),
    r"^\W*(?:mi dispiace|purtroppo)\b",
)
_PORTUGUESE = (
    r"\bnão (?:sei|sabemos|posso|podemos|encontrei|encontramos|consigo|disponho)\b",
    r"\bnão (?:há|tenho|temos|existe) (?:\w+ )?(?:informação|informações|resposta|dados)\b",
    (
        r"\b(?:contexto|documentos?|fontes?|trechos?) não"
        r" (?:contém|contêm|mencionam?|diz|dizem|indicam?)\b"
    ),
    r"^\W*(?:desculpe|lamento|sinto muito|infelizmente)\b",
)
_DUTCH = (
    r"\b(?:ik|wij|we) (?:weet|weten)\b[^.]{0,30}\bniet\b",
    r"\b(?:ik|wij|we) (?:kan|kunnen|kon|konden)\b[^.]{0,60}\b(?:niet|geen)\b",
    r"\b(?:onvoldoende|geen) (?:informatie|gegevens|antwoord)\b",
    r"^\W*(?:helaas|het spijt me)\b",
)

REFUSALS: Mapping[str, tuple[str, ...]] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "pt": _PORTUGUESE,
    "nl": _DUTCH,
}
