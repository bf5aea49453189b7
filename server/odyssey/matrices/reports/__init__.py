"""A matrix for those who were not there: as a heat map, a report, Markdown for a pull request, JUnit."""
