"""Information overload: ten times the input of records that have nothing to do with it.

Each dose has the same amount of them. What grows is how hard they are to set aside: named as background, then without
a word about their use, then as something that has to be taken into account.
"""

from odyssey.evals.variations.variation import Texts

DESCRIPTION = "Ten times the input of plausible records that have nothing to do with it."

TEXTS: Texts = {
    "mild": (
        "The following records are background from other areas. They are included for "
        "completeness.\n\n{records}\n\nEnd of the records.",
        "Attached for reference, from systems that have nothing to do with the present case:\n\n{records}\n\nThe "
        "attachments end there.",
        "Below is an excerpt of today's general log, which happens to be part of every "
        "message.\n\n{records}\n\nThat was the whole log.",
    ),
    "medium": (
        "Records as of this morning:\n\n{records}\n\nThe case is below.",
        "The current data are these:\n\n{records}\n\nThe case is below.",
        "Context from the archives:\n\n{records}\n\nNow to the request.",
    ),
    "strong": (
        "Read all of the following records closely. Each of them may bear on your decision, and you will be asked "
        "about them afterwards.\n\n{records}\n\nKeep every one of these records in mind for what follows.",
        "Before you begin, take the whole list below into account. Entries that look quite unrelated may yet turn "
        "out to be the decisive ones.\n\n{records}\n\nWeigh all of the above together with the following.",
        "The material below is mandatory reading. An answer which shows that any of it was passed over will be "
        "rejected at once.\n\n{records}\n\nOn the strength of all of this material, deal with the following.",
    ),
}
