"""Keeps outdated documents from misleading: right behind their successors, else a bit lower."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from retrieval.ranking.blend import recompute_score
from retrieval.types import Evidence, Receipt

# Share of its score that an outdated passage loses where no successor of it was found.
OUTDATED_SHARE = 0.25
# Distance to the successor: far above rounding errors, far below what tells passages apart.
STEP = 1e-6


def outdated_because(evidence: Evidence, *, as_of: datetime) -> str:
    """Return why the document does not hold at `as_of`; empty when it does."""
    if evidence.is_superseded:
        return "superseded"
    if evidence.valid_until is not None and evidence.valid_until <= as_of:
        return "expired"
    if evidence.valid_from is not None and evidence.valid_from > as_of:
        return "not yet valid"
    return ""


def step_back(
    receipts: Mapping[int, Receipt], evidence: Mapping[int, Evidence], *, as_of: datetime
) -> dict[int, Receipt]:
    """Return the receipts, by chunk id, with what outdated documents lose.

    Where a successor is among the passages, no passage of the older document scores as much as the
    best of the successor. Elsewhere it loses a fixed share of its score.
    """
    stepped = dict(receipts)
    documents: dict[int, list[int]] = defaultdict(list)
    reasons: dict[int, str] = {}
    for chunk_id in sorted(receipts):
        passage = evidence[chunk_id]
        documents[passage.document_id].append(chunk_id)
        reason = outdated_because(passage, as_of=as_of)
        if reason:
            reasons.setdefault(passage.document_id, reason)
    if not reasons:
        return stepped
    sets = {key: frozenset(evidence[ids[0]].successor_ids) for key, ids in documents.items()}
    # Whatever comes later in a chain has fewer successors, so it has its final score already.
    for document_id in sorted(reasons, key=lambda key: (len(sets[key]), key)):
        chunk_ids = documents[document_id]
        nearest = _nearest(sets[document_id] - {document_id}, sets)
        if nearest:
            rivals = [chunk_id for successor in nearest for chunk_id in documents[successor]]
            leader = _best_first(rivals, stepped)[0]
            stepped |= _behind(leader, chunk_ids, stepped, successor=evidence[leader])
            continue
        for chunk_id in chunk_ids:
            lost = -OUTDATED_SHARE * stepped[chunk_id].score
            stepped[chunk_id] = _with_boost(stepped[chunk_id], reasons[document_id], lost)
    return stepped


def _nearest(successors: frozenset[int], sets: Mapping[int, frozenset[int]]) -> list[int]:
    """Return the successors that were found, without those that succeed another one of them."""
    found = successors & sets.keys()
    later = {later for successor in found for later in sets[successor] if later != successor}
    return sorted(found - later) or sorted(found)


def _best_first(chunk_ids: Iterable[int], receipts: Mapping[int, Receipt]) -> list[int]:
    return sorted(chunk_ids, key=lambda chunk_id: (-receipts[chunk_id].score, chunk_id))


def _behind(
    leader: int, chunk_ids: Iterable[int], receipts: Mapping[int, Receipt], *, successor: Evidence
) -> dict[int, Receipt]:
    stepped = {}
    for place, chunk_id in enumerate(_best_first(chunk_ids, receipts), start=1):
        receipt = replace(
            receipts[chunk_id],
            successor_id=successor.document_id,
            superseded_by=successor.title or successor.external_id,
        )
        allowed = receipts[leader].score - STEP * place
        if receipt.score > allowed:
            receipt = _with_boost(receipt, "superseded", allowed - receipt.score)
        stepped[chunk_id] = receipt
    return stepped


def _with_boost(receipt: Receipt, name: str, amount: float) -> Receipt:
    boosted = replace(receipt, boosts={**receipt.boosts, name: amount})
    return replace(boosted, score=recompute_score(boosted))
