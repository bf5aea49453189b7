"""Items of the review queue as the API shows them."""

from odyssey.reviews import schemas
from odyssey.reviews.models import ReviewRow

_GIVEN = tuple(name for name in schemas.ReviewItem.model_fields if name != "verdict")


def item_out(item: ReviewRow) -> schemas.ReviewItem:
    members = {name: getattr(item, name) for name in _GIVEN}
    return schemas.ReviewItem.model_validate(members | {"verdict": _verdict(item)})


def _verdict(item: ReviewRow) -> dict[str, object] | None:
    if item.verdict is None:
        return None
    return {
        "verdict": item.verdict,
        "notes": item.verdict_notes,
        "reviewer_id": item.reviewer_id,
        "reviewer": item.reviewer,
        "decided_at": item.decided_at,
    }
