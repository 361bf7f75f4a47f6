"""English notes by kind: titles, heads, sections and tails."""

from synthesis.fictional.templates.grammar import (
    Kind,
    Section,
)

_SIGN_OFF = (
    "{author}\nDepartment of {specialty}\nNPI: {rpps}",
    "Electronically signed by {author} on {today} at {time}.\ncc: {gp}",
    "{author_caps}\nOffice: {site_phone} / Fax: {site_fax}\n{author_email}",
    "Attending: {signature}, MD\n\n{site} - {site_address}\nPage 1/2",
    "Dictated by {author} on {today}, transcribed by {username} from {ip} - version 2.1.3",
)
_LETTER_END = (
    "[Sincerely|With kind regards|Best regards],\n\n{author}\n[NPI {rpps}|{author_email}|Tel. "
    "{site_phone}]",
    "Thank you for allowing me to share in {his|her} care.\n\n{author_caps}\ncc: {gp}, {doctor}",
    "Please call {site_phone} with any question.\n\n{author} / {doctor}\nDictated {today}, typed by "
    "{username}",
)

KINDS = {
    "discharge": Kind(
        titles=(
            "Discharge summary",
            "DISCHARGE SUMMARY",
            "Hospital course {admission} to {discharge}",
        ),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nAdmission date: {admission}\nDischarge date: "
            "{discharge}\nAttending: {author}\nPrimary care: {gp}{gp_city}",
            "{letterhead}{title}\n{identity}\n\nDear colleague,\n{civil} {last}, a {aged} "
            "[patient|{man|woman}], was admitted to [our service|{ward}] {stay}.",
            "{title}\n{identity}\nReferred by {gp} ({gp_phone})\nResident: {third}\nDate of service: "
            "{discharge}",
        ),
        sections=(
            Section("Reason for admission", "reason", 0.5),
            Section("Past medical history", "history", 1.3, "list"),
            Section("Social history", "social", 0.8),
            Section("Home medications", "treatment", 0.9, "list", 0.8),
            Section("History of present illness", "account", 1.2),
            Section("Physical examination", "exam", 1.2),
            Section("Laboratory data", "labs", 1.0, "prose", 0.9),
            Section("Imaging", "imaging", 0.9, "prose", 0.8),
            Section("Hospital course", "course", 1.6),
            Section("Disposition and follow-up", "outcome", 1.0),
        ),
        tails=_SIGN_OFF + _LETTER_END[:1],
    ),
    "operation": Kind(
        titles=("Operative report", "OPERATIVE NOTE"),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nDate of procedure: {day}\nSurgeon: {author}\n"
            "Assistant: {third}\nAnesthesia: {doctor}\nScrub nurse: {nurse}",
            "{title} - {site}\n{identity}\nProcedure performed on {day} by {author}, anesthesia "
            "{doctor}, in room at {time}",
        ),
        sections=(
            Section("Indication", "reason", 0.6),
            Section("Relevant history", "history", 0.6, "list", 0.5),
            Section("Anesthesia and positioning", "anaesthesia", 0.8),
            Section("Procedure", "operation", 2.4),
            Section("Postoperative plan", "after_operation", 1.2, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="surgery",
    ),
    "pathology": Kind(
        titles=("Surgical pathology report", "Pathology report, accession {exam}"),
        heads=(
            "{letterhead}{title}\n{identity}\n\nSpecimen {exam} received {day} from {doctor}, {site}."
            "\nReported {today}",
            "{title}\nAccession no. {exam}\n{identity}\nOrdering physician: {doctor}\nCollected: {day}"
            " - Reported: {today}",
        ),
        sections=(
            Section("Clinical information", "reason", 0.7),
            Section("Gross description", "macroscopy", 1.2),
            Section("Microscopic description", "microscopy", 1.8),
            Section("Special stains", "stains", 0.9, "list", 0.8),
            Section("Final diagnosis", "diagnosis", 0.9),
        ),
        tails=(*_SIGN_OFF, "{author} - {doctor}\nSlides reviewed {today}. Block kept under {exam}"),
        specialty="pathology",
    ),
    "imaging": Kind(
        titles=("Imaging report", "Radiology report", "CT report of {day}"),
        heads=(
            "{letterhead}{title}\n\n{identity}\nExam {exam} performed {day} at {time}\nOrdered by: "
            "{doctor}\nRadiologist: {author}",
            "{title}\n{civil} {patient}, DOB {birth}\nMRN {ipp}\nReferring physician: {doctor}, {ward}"
            "\nDate of exam: {day}",
        ),
        sections=(
            Section("Indication", "reason", 0.7),
            Section("Technique", "technique", 0.9),
            Section("Findings", "imaging", 2.2, "lines"),
            Section("Impression", "impression", 0.9),
        ),
        tails=_SIGN_OFF,
        specialty="radiology",
    ),
    "emergency": Kind(
        titles=("Emergency department note", "ED PHYSICIAN NOTE"),
        heads=(
            "{letterhead}{title}\n{identity}\nArrived {day} at {time} by [ambulance|private vehicle|"
            "EMS]\nTriage: {nurse} - Physician: {author}\nEmergency contact: {kin}, {kinphone}",
            "{title} - {site}\n{identity}\n{civil} {last} presents on {weekday} at {time}, "
            "accompanied by {kin} ({kinphone}).",
        ),
        sections=(
            Section("Chief complaint", "reason", 0.6),
            Section("Past medical history", "history", 1.0, "list"),
            Section("Medications", "treatment", 0.8, "list", 0.7),
            Section("HPI", "account", 1.1),
            Section("Exam", "exam", 1.3),
            Section("Labs", "labs", 1.1),
            Section("Imaging", "imaging", 0.8, "prose", 0.6),
            Section("Plan", "conduct", 1.0, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="emergency",
    ),
    "nursing": Kind(
        titles=("Nursing notes", "Nursing handoff"),
        heads=(
            "{title} - {ward}\n{LAST}, {first} - {birth} - Room [12|14|203|307|411] bed [A|B]\nMRN "
            "{ipp} / encounter {visit}\nNext of kin: {kin} {kinphone}",
            "{title}\n{identity}\nUnit: {ward} - Admitted {admission}\nRN: {nurse}",
        ),
        sections=(
            Section("Vital signs", "vitals", 1.0),
            Section("Context", "reason", 0.5, "prose", 0.7),
            Section("Function and support", "social", 0.8, "prose", 0.7),
            Section("Shift notes", "transmissions", 3.0, "lines"),
            Section("Current medications", "treatment", 0.6, "list", 0.6),
        ),
        tails=(
            "RN {nurse} - {today} {time}",
            "Report given to {nurse} on {today}. {doctor} aware.",
            "{nurse}, night shift RN\nUnit phone {site_phone}",
        ),
        specialty="nursing",
    ),
    "consultation": Kind(
        titles=("Consultation letter", "Clinic visit of {today}", "Letter to primary care"),
        heads=(
            "{letterhead}{today}\n\n{gp}\n{gp_address}\n\nRE: {civil} {patient}, DOB {birth}\n{street}"
            ", {city}, {region} {zip}\n\nDear colleague,\n\nI saw [your patient|{civil} {last}], "
            "{age}, in clinic today.",
            "{letterhead}{title}\n{identity}\n\nDear colleague,\n\nThank you for referring {civil} "
            "{last}, a {aged} {man|woman}, whom I [saw|examined] on {today}.",
            "{title}\n{author_caps}\n{gp}\n\nDear friend,\nI met {civil} {first} {last} (DOB {birth}, "
            "MRN {ipp}), who came [with {kin}|alone].",
        ),
        sections=(
            Section("", "reason", 0.6),
            Section("History", "history", 0.9, "list", 0.6),
            Section("", "account", 0.9, "prose", 0.6),
            Section("Interval history", "followup", 1.0),
            Section("Social", "social", 0.7, "prose", 0.6),
            Section("Examination", "exam", 1.2),
            Section("Results", "labs", 0.9, "prose", 0.8),
            Section("", "imaging", 0.7, "prose", 0.5),
            Section("Assessment and plan", "opinion", 1.3),
        ),
        tails=_LETTER_END,
    ),
    "board": Kind(
        titles=("Tumor board note", "Multidisciplinary conference", "Tumor board of {today}"),
        heads=(
            "{letterhead}{title}\nDate: {today}\nChair: {author}\nPresent: {doctor}, {doctor}, "
            "{doctor}, {third_initial}\n\n{identity}\nPrimary care: {gp}",
            "{title} - {site}\nPresented by {doctor}\n{identity}\nQuorum: {author}, {doctor}, "
            "{doctor}/{third_initial}",
        ),
        sections=(
            Section("History", "history", 1.0, "list"),
            Section("Summary", "account", 1.4),
            Section("Imaging", "imaging", 1.0),
            Section("Pathology", "diagnosis", 0.7),
            Section("Performance status", "exam", 0.7, "prose", 0.8),
            Section("Question", "question", 0.4),
            Section("Recommendation", "decision", 1.3, "list"),
        ),
        tails=(
            "Recommendation of {today}, approved by {author}. {doctor} will inform the patient.",
            *_SIGN_OFF[1:],
        ),
        specialty="oncology",
    ),
}

# What lengthens a note: earlier records where nothing happens on the ward, else the ward's diary.
_EARLIER = (Section("Prior records", "previous", 1.0, "lines"),)
_DIARY = (
    Section("Flowsheet", "vitals", 1.0, "lines"),
    Section("Addendum", "course", 2.0),
    Section("Nursing record", "transmissions", 1.5, "lines"),
)
ANNEXES = {
    "discharge": _DIARY,
    "nursing": _DIARY,
    "operation": _EARLIER,
    "pathology": _EARLIER,
    "imaging": _EARLIER,
    "emergency": _EARLIER,
    "consultation": _EARLIER,
    "board": _EARLIER,
}
