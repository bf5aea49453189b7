"""Language models, for whoever needs one: a judge, a simulator.

`chat.py` is the seam: one question, one answer in a form, the words of strangers fenced. `remote.py` stands
behind it with a protocol for each provider; `metered.py` puts an org's budget around it. `roles.py` says which model an
org uses for what.
"""
