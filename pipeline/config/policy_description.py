"""Description of a policy in words: its effect on every label and column, for JSON and people."""

from dataclasses import asdict
from typing import Any

from record.columns import (
    BIRTHS,
    CHOSEN,
    COLUMNS,
    KEPT_CLOCK,
    NO_VISITS,
    ColumnType,
    Treatment,
)
from record.label import Label
from record.policy import Action, Policy
from surrogates.patient.date_shift import END_YEAR

_NAMES = (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME)
_SURROGATES = {
    **dict.fromkeys(_NAMES, "another name, in the same case and form"),
    **dict.fromkeys((Label.USERNAME, Label.EMAIL, Label.URL), "an unassigned one in the same form"),
    **dict.fromkeys(
        (Label.STREET, Label.ZIP, Label.CITY, Label.REGION, Label.COUNTRY), "another place"
    ),
    **dict.fromkeys(
        (Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION),
        "another of the same kind, from a list",
    ),
    **dict.fromkeys((Label.PHONE, Label.FAX, Label.IP_ADDRESS), "another number in the same form"),
    Label.OTHER: "another value in the same form",
}
_CODE = "another code in the same form, with valid check digits if the original had"
_PRECISIONS: dict[str, str] = {
    "month": ", then reduced to the month",
    "year": ", then reduced to the year",
}
_WRITTEN_BIRTHS = {
    "month": ", then written as month and year",
    "year": ", then written as the year",
}
_TIMES = {
    "midnight": "; times of day are removed",
    "hour": "; of times of day the hour stays",
    "order": "; of times of day only their order stays",
}
_MOMENTS = {
    "midnight": "the time is midnight",
    "hour": "minutes and seconds become zero",
    "order": "of the times of a day only their order stays",
}


def describe_policy(policy: Policy) -> dict[str, Any]:
    """Return a policy as an object for JSON: settings, and what happens to labels and columns."""
    settings = asdict(policy)
    for name in ("actions", "columns", "given_id"):
        del settings[name]
    return {
        "policy_id": policy.policy_id,
        "settings": settings,
        "labels": {
            label.value: {
                "action": str(policy.action(label) or "refuse"),
                "reason": explain_label(policy, label),
            }
            for label in Label
        },
        "columns": {
            column: {
                "treatment": str(policy.treatment(column)),
                "reason": explain_column(policy, column),
            }
            for column in COLUMNS
        },
    }


def format_policy(policy: Policy) -> str:
    """Return the description of a policy as a table for people."""
    description = describe_policy(policy)
    lines = [f"policy {description['policy_id']}", ""]
    lines += [f"  {name} = {value}" for name, value in description["settings"].items()]
    lines += ["", f"{'label':<16}{'action':<14}description"]
    lines += [
        f"{n:<16}{each['action']:<14}{each['reason']}" for n, each in description["labels"].items()
    ]
    wide = 2 + max(map(len, COLUMNS))
    lines += ["", f"{'column':<{wide}}{'treatment':<14}description"]
    for name, each in description["columns"].items():
        lines.append(f"{name:<{wide}}{each['treatment']:<14}{each['reason']}")
    lines += ["", "notes with any other label go to quarantine; other columns are not written"]
    return "\n".join(lines)


def summarize_policy(policy: Policy) -> str:
    """Return a short notice on dates and ages for readers of the output."""
    dates = (
        "All dates of a patient are shifted by one secret number of days, "
        f"{_describe_shift(policy)}{_PRECISIONS.get(policy.date_precision, '')}"
    )
    times = _TIMES.get(policy.times or "", "")
    ages = f"; ages over {policy.age_cap} become {policy.age_cap + 1}+"
    capped = policy.action(Label.AGE) is Action.REPLACE
    return (
        f"Pseudonymized notes. {dates}{times}{ages if capped else ''}. Policy {policy.policy_id}."
    )


def _describe_shift(policy: Policy) -> str:
    """Describe the size and direction of date shifts."""
    way = "into the past" if policy.shift_direction == "past" else "forward or backward"
    if policy.keep_season:
        least, most = policy.shift_years
        years = f"{least} to {most} whole years" if most > least else f"{least} whole year"
        return f"{years}, give or take 10 days, {way}"
    weeks = ", in whole weeks" if policy.keep_weekday else ""
    return f"between {policy.min_shift_days} and {policy.max_shift_days} {way}{weeks}"


def explain_label(policy: Policy, label: Label) -> str:
    """Describe the replacement of spans of a label."""
    action = policy.action(label)
    if action is None:
        return "no action defined: notes with such a span go to quarantine"
    if action is Action.KEEP:
        return "detected and counted, but not replaced"
    if action is Action.MASK:
        return f"[{label.value}]"
    if action is Action.GENERALIZE:
        zeroed = _explain_zeroed_zips(policy)
        return f"first {policy.zip_digits} digits{zeroed}; [ZIP] if not five digits"
    if label in (Label.DATE, Label.BIRTH_DATE):
        return _explain_dates(policy, label)
    if label is Label.AGE:
        return f"unchanged up to {policy.age_cap}, above that {policy.age_cap + 1}+"
    if label in (Label.ZIP, Label.CITY) and policy.keep_area != "none":
        return f"another place in the same {policy.keep_area}"
    reason = _SURROGATES.get(label, _CODE)
    if label is Label.COUNTRY and policy.keep_area != "none":
        reason = "unchanged if surrogate places lie in it, else another country"
    if label in _NAMES and (chance := policy.repeat_third_parties) < 1.0:
        reason += f"; persons other than the patient keep theirs with probability {chance:g}"
    return reason


def _explain_zeroed_zips(policy: Policy) -> str:
    """Describe which postal codes are zeroed."""
    zeros = "0" * policy.zip_digits
    few = f"; {zeros} for areas of at most 20,000 people ({policy.zip_table})"
    listed = f"; {zeros} for the listed codes" if policy.zeroed_zips else ""
    return (few if policy.zip_table != "none" else "") + listed


def _explain_dates(policy: Policy, label: Label) -> str:
    """Describe what becomes of dates, or of birth dates."""
    moved = f"shifted by a number of days that is constant per patient: {_describe_shift(policy)}"
    cut = _PRECISIONS.get(policy.date_precision, "")
    if label is Label.DATE:
        return moved + cut + _TIMES.get(policy.times or "", "")
    birth = _PRECISIONS.get(policy.birth_dates or "", cut)
    if policy.drops_birth_days and policy.birth_dates in _WRITTEN_BIRTHS:
        birth = _WRITTEN_BIRTHS[policy.birth_dates]
    if policy.birth_dates == "jitter":
        birth = f", then moved back by up to {policy.birth_jitter_months} months"
    old = {
        "cap": f"; ages over {policy.age_cap} become {policy.age_cap + 1}",
        "year": f"; only the year where it tells an age over {policy.age_cap}",
    }
    return moved + birth + old.get(policy.old_births or "", "")


def explain_column(policy: Policy, column: str) -> str:
    """Describe the treatment of a column and the reason for it."""
    rule = COLUMNS[column]
    treatment = policy.treatment(column)
    if treatment is Treatment.DROP and rule.treatment is not Treatment.DROP:
        return "dropped by this policy"
    if treatment is Treatment.SHIFT and column in BIRTHS:
        return _explain_birth_column(policy, column)
    if treatment is not rule.treatment:
        return CHOSEN[treatment]
    return rule.reason if treatment is not Treatment.SHIFT else _explain_date_column(policy, column)


def _explain_date_column(policy: Policy, column: str) -> str:
    """Describe what stays of a date or a time."""
    rule = COLUMNS[column]
    reason = rule.reason
    if rule.holds is ColumnType.MOMENT and policy.times in _MOMENTS:
        reason = reason.replace(KEPT_CLOCK, _MOMENTS[policy.times])
    precision = policy.date_precision
    if (
        policy.visits == "month"
        and precision == "day"
        and column.partition(".")[0] not in NO_VISITS
    ):
        precision = "month"
    return (
        f"{reason}; reduced to the first day of the {precision}" if precision != "day" else reason
    )


def _explain_birth_column(policy: Policy, column: str) -> str:
    """Describe what stays of a birth date in the table of persons."""
    rule = COLUMNS[column]
    reason = rule.reason if rule.treatment is Treatment.SHIFT else CHOSEN[Treatment.SHIFT]
    name = column.removeprefix("person.")
    gone = {"day_of_birth", "birth_datetime"}
    if policy.birth_dates == "year":
        gone.add("month_of_birth")
    if policy.drops_birth_days and name in gone:
        return f"empty: only the {policy.birth_dates} of birth is released"
    if policy.old_births == "year" and name != "year_of_birth":
        return f"{reason}; empty for persons over {policy.age_cap} at the end of {END_YEAR}"
    return reason
