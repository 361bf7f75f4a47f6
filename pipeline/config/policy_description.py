"""What a policy does to every label and every column, in words that an officer can read."""

from dataclasses import asdict
from typing import Any

from record.columns import CHOSEN, COLUMNS, Treatment
from record.label import Label
from record.policy import Action, Policy

_NAMES = (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME)
_SURROGATES = {
    **dict.fromkeys(_NAMES, "another name, case and form kept"),
    **dict.fromkeys(
        (Label.USERNAME, Label.EMAIL, Label.URL), "another that nobody owns, in the same form"
    ),
    **dict.fromkeys(
        (Label.STREET, Label.ZIP, Label.CITY, Label.REGION, Label.COUNTRY), "another place"
    ),
    **dict.fromkeys(
        (Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION), "another of a list of its kind"
    ),
    **dict.fromkeys((Label.PHONE, Label.FAX, Label.IP_ADDRESS), "another number in the same form"),
    Label.OTHER: "another in the same form",
}
_CODE = "another in the same form, valid where the original was"
_PRECISIONS = {"month": ", then cut down to the month", "year": ", then cut down to the year"}


def describe(policy: Policy) -> dict[str, Any]:
    """Return the whole policy as JSON: settings, and treatment and reason of labels and columns."""
    settings = asdict(policy)
    del settings["actions"], settings["columns"]
    return {
        "policy_id": policy.policy_id,
        "settings": settings,
        "labels": {
            label.value: {
                "action": str(policy.action(label) or "refuse"),
                "reason": label_reason(policy, label),
            }
            for label in Label
        },
        "columns": {
            column: {
                "treatment": str(policy.treatment(column)),
                "reason": column_reason(policy, column),
            }
            for column in COLUMNS
        },
    }


def tell_policy(policy: Policy) -> str:
    """Set the same out in lines for a person."""
    told = describe(policy)
    lines = [f"policy {told['policy_id']}", ""]
    lines += [f"  {name} = {value}" for name, value in told["settings"].items()]
    lines += ["", f"{'label':<16}{'what happens':<14}how"]
    lines += [f"{n:<16}{each['action']:<14}{each['reason']}" for n, each in told["labels"].items()]
    wide = 2 + max(map(len, COLUMNS))
    lines += ["", f"{'column':<{wide}}{'what happens':<14}why"]
    for name, each in told["columns"].items():
        lines.append(f"{name:<{wide}}{each['treatment']:<14}{each['reason']}")
    lines += ["", "any other label or column: a label is refused, a column is not written"]
    return "\n".join(lines)


def in_short(policy: Policy) -> str:
    """Say in a line or two what whoever reads the tables must know of dates and ages."""
    dates = (
        "All dates of a patient are moved by one secret number of days, from "
        f"{policy.min_shift_days} to {policy.max_shift_days} either way"
    )
    if policy.keep_weekday:
        dates += ", in whole weeks"
    dates += _PRECISIONS.get(policy.date_precision, "")
    ages = f"; ages over {policy.age_cap} become {policy.age_cap + 1}+"
    capped = policy.action(Label.AGE) is Action.REPLACE
    return f"Pseudonymized notes. {dates}{ages if capped else ''}. Policy {policy.policy_id}."


def label_reason(policy: Policy, label: Label) -> str:
    """Say what a span of a label becomes."""
    action = policy.action(label)
    if action is None:
        return "the policy does not name it: a note with such a span goes to quarantine"
    if action is Action.KEEP:
        return "found and counted, and left as it is"
    if action is Action.MASK:
        return f"[{label.value}]"
    if action is Action.GENERALIZE:
        return f"its first {policy.zip_digits} digits{_zeros(policy)}; no five digits: [ZIP]"
    if label in (Label.DATE, Label.BIRTH_DATE):
        return _date_reason(policy, label)
    if label is Label.AGE:
        return f"itself up to {policy.age_cap}, above it {policy.age_cap + 1}+"
    if label in (Label.ZIP, Label.CITY) and policy.keep_area != "none":
        return f"another place of the same {policy.keep_area}"
    reason = _SURROGATES.get(label, _CODE)
    if label is Label.COUNTRY and policy.keep_area != "none":
        reason = "itself where surrogate places lie in it, else another country that is not it"
    if label in _NAMES and (chance := policy.repeat_third_parties) < 1.0:
        reason += f"; others than the patient keep theirs with a chance of {chance:g}"
    return reason


def _zeros(policy: Policy) -> str:
    """Say which postal codes are zeroed."""
    zeros = "0" * policy.zip_digits
    few = f"; {zeros} where 20,000 people or fewer live ({policy.zip_table})"
    listed = f"; {zeros} for those listed" if policy.zeroed_zips else ""
    return (few if policy.zip_table != "none" else "") + listed


def _date_reason(policy: Policy, label: Label) -> str:
    weeks = " in whole weeks" if policy.keep_weekday else ""
    moved = (
        f"moved by the patient's own {policy.min_shift_days} to {policy.max_shift_days} days"
        f"{weeks}, either way"
    )
    cut = _PRECISIONS.get(policy.date_precision, "")
    if label is Label.DATE:
        return moved + cut
    birth = _PRECISIONS.get(policy.birth_dates, cut)
    if policy.birth_dates == "jitter":
        birth = f", then back by up to {policy.birth_jitter_months} months"
    cap = f"; one that tells an age over {policy.age_cap} tells {policy.age_cap + 1}"
    return moved + birth + (cap if policy.old_births == "cap" else "")


def column_reason(policy: Policy, column: str) -> str:
    """Say why a column is treated as it is."""
    rule = COLUMNS[column]
    treatment = policy.treatment(column)
    if treatment is Treatment.DROP and rule.treatment is not Treatment.DROP:
        return "left out by this policy"
    if treatment is not rule.treatment:
        return CHOSEN[treatment]
    is_cut = policy.date_precision != "day" and column.endswith(("_date", "_datetime"))
    if treatment is Treatment.SHIFT and is_cut:
        return f"{rule.reason}; {policy.date_precision} only: the first day stands for it"
    return rule.reason
