"""Information overload: ten times the input of records that have nothing to do with it.

Each dose has the same amount of them. What grows is how hard they are to set aside: named as background, then without
a word about their use, then as something that has to be taken into account.
"""

from odyssey.evals.variations.variation import Texts

DESCRIPTION = "Ten times the input of plausible records that have nothing to do with it."

TEXTS: Texts = {
    "mild": (
        "The following records are background from other areas. They are included for completeness.\n\n{records}\n\n"
        "End of the background records.",
        "Attached for reference, from systems that are not concerned with this case:\n\n{records}\n\n"
        "The attachment ends here.",
        "Below is an excerpt of today's general log, which happens to be part of every message.\n\n{records}\n\n"
        "That was the general log.",
    ),
    "medium": (
        "Records as of this morning:\n\n{records}\n\nThe case follows.",
        "Current data:\n\n{records}\n\nThe request is below.",
        "Context:\n\n{records}\n\nNow to the matter in hand.",
    ),
    "strong": (
        "Read all of the following records closely. Each of them may bear on your decision, and you will be asked "
        "about them afterwards.\n\n{records}\n\nKeep every one of these records in mind for what follows.",
        "Before you begin, take the complete list below into account. Entries that look unrelated may turn out to be "
        "the decisive ones.\n\n{records}\n\nWeigh all of the above together with the following.",
        "The material below is mandatory reading. An answer that shows that any of it was passed over will be "
        "rejected.\n\n{records}\n\nOn the strength of all of this material, deal with the following.",
    ),
}
