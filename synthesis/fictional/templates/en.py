"""English notes: letterheads, identity blocks, sentences for any patient, lists, traps."""

from synthesis.fictional.templates.en_stories import STORIES
from synthesis.fictional.templates.grammar import LetterLanguage, NoteKind, Section

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
    "discharge": NoteKind(
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
    "operation": NoteKind(
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
    "pathology": NoteKind(
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
    "imaging": NoteKind(
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
    "emergency": NoteKind(
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
    "nursing": NoteKind(
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
    "consultation": NoteKind(
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
    "board": NoteKind(
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


WORDS = {
    "letterhead": (
        "{site_caps}\n{site_address}\nPhone: {site_phone}  Fax: {site_fax}\n\n",
        "{site}\nDepartment of {specialty}\nChief: {chief}\nOffice {site_phone}\n{url}\n\n",
        "", "",
        "{site}\n{site_address}\n{chief} - {doctor} - {doctor}\n{site_url_mail}\n\n",
    ),
    "identity": (
        "Patient: {LAST}, {first}\nDOB: {birth}[   Birthplace: {birthplace}|]\nMRN: {ipp}   "
        "Encounter: {visit}\nAddress: {street}\n{city_caps}, {region} {zip}",
        "Last name: {last}   First name: {given}\nDate of birth: {birth} ({age})   Sex: {M|F}\nMRN: "
        "{ipp} - Visit no.: {visit}\nSSN: {ssn}\nPhone: {phone}",
        "{civil} {patient}{maiden}, DOB {birth}\nMRN {ipp} / FIN {visit}",
        "{LAST}, {first} | {M|F} | {birth} | {ipp} | {visit}",
        "NAME: {last}, {given}{maiden}\nDOB: {birth}   SSN: {ssn}\nHome: {street}, {city}, {region} "
        "{zip}[, {country}|]\nPhone: {phone}[ - {email}|]\nMember ID: {insurance}   MRN: {ipp}",
    ),
    "stay": ("{range}", "{range}", "on {admission}", "from {admission} to {discharge}"),
    "drug": (
        "amlodipine 5 mg daily", "metoprolol 25 mg twice daily", "lisinopril 10 mg daily",
        "atorvastatin 40 mg at bedtime", "pantoprazole 40 mg daily", "furosemide 40 mg, 1-0-0",
        "levothyroxine 75 mcg daily", "acetaminophen 650 mg every 6 hours", "tramadol 50 mg as needed",
        "aspirin 81 mg daily", "metformin 850 mg with meals", "enoxaparin 40 mg subcutaneous daily",
        "sertraline 50 mg daily", "trazodone 50 mg, 1/2 tablet at bedtime", "Tylenol 500 mg for fever",
        "Colace 100 mg twice daily",
    ),
    "specialty.surgery": ("Surgery",),
    "specialty.oncology": ("Oncology",),
    "specialty.geriatrics": ("Geriatric Medicine",),
    "specialty.cardiology": ("Cardiology",),
    "specialty.pneumology": ("Pulmonary Medicine",),
    "specialty.gastroenterology": ("Gastroenterology",),
    "specialty.paediatrics": ("Pediatrics",),
    "specialty.radiology": ("Radiology",),
    "specialty.pathology": ("Pathology",),
    "specialty.emergency": ("Emergency Medicine",),
    "specialty.nursing": ("Nursing",),
    "specialty.gp": ("Family Medicine",),
    "title.M": ("Dr.", "Dr.", "Dr", "Prof."),
    "title.F": ("Dr.", "Dr.", "Dr", "Prof."),
    "title.nursing.M": ("Mr.", "RN"),
    "title.nursing.F": ("Ms.", "RN"),
    "civil.M": ("Mr.", "Mr.", "Mr"),
    "civil.F": ("Mrs.", "Ms.", "Ms"),
    "civil.child": ("{Master|Miss}",),
    "kin.wife": ("{his|her} wife",),
    "kin.husband": ("{his|her} husband",),
    "kin.daughter": ("{his|her} daughter",),
    "kin.son": ("{his|her} son",),
    "kin.sister": ("{his|her} sister",),
    "kin.brother": ("{his|her} brother",),
    "kin.mother": ("{his|her} mother",),
    "kin.father": ("{his|her} father",),
    "maiden": (", née ", " (maiden name "),
    "range": ("from /to ",),
    "on": ("on ",),
    "in": (" in ",),
    "age": ("{} years old", "{} y.o.", "{}yo", "{} years old"),
    "aged": ("{}-year-old", "{}-year-old", "{} y/o"),
    "months": ("{} months old",),
    "job": (
        "carpenter", "accountant", "school teacher", "dairy farmer", "bus driver", "registered nurse",
        "mason/seamstress", "bank manager", "secretary", "electrician", "line cook", "civil engineer",
        "janitor", "mail carrier", "librarian", "welder", "paralegal", "cashier", "truck driver",
    ),
}  # fmt: skip

POOLS = {
    "history": (
        "Hypertension since {year:20}, [well|poorly] controlled.",
        "Appendectomy in {year:45}[ in {othercity}| at {otherhospital}|].",
        "Graves disease treated with radioactive iodine in {month:200}.",
        "Dupuytren contracture, right hand released in {year:15} by {doctor}.",
        "Type 2 diabetes since {month:150}, HbA1c {d:6.1-8.4}%.",
        "Long-standing Raynaud phenomenon, mild.", "Hyperlipidemia on a statin since {year:12}.",
        "Left Colles fracture on {past:4000}, casted.",
        "Allergies: [penicillin (hives in {year:30})|none known|iodine, undocumented].",
        "Father died of myocardial infarction at {kinage}, mother has Parkinson disease.",
        "Former smoker, quit in {year:18}, {n:10-45} pack-years.",
        "Shingles in {month:90}, rose-colored scar.",
        "Laparoscopic cholecystectomy on {past:3500} ({otherhospital}).",
        "Hospitalized {range:900} at {otherhospital} for pyelonephritis.",
        "Influenza vaccine given {past:300} by {gp}.",
        "Contact dermatitis to a Paris green pigment, steroid cream as needed.",
        "Gilbert syndrome, bilirubin usually {d:1.6-2.9} mg/dL.",
        "Possible Sjogren syndrome, positive Schirmer test.",
    ),
    "history_young": (
        "Appendectomy in {year:10}[ in {othercity}| at {otherhospital}|].",
        "Allergies: [penicillin (hives in {year:9})|none known|iodine, undocumented].",
        "Hospitalized {range:900} at {otherhospital} for pyelonephritis.",
        "Raynaud phenomenon, mild.", "Childhood asthma, no attack since {year:8}.",
        "Contact dermatitis to a Paris green pigment, steroid cream as needed.",
        "Gilbert syndrome, bilirubin usually {d:1.6-2.9} mg/dL.",
        "Wrist fracture on {past:3000}, casted.",
    ),
    "treatment_young": ("acetaminophen 500 mg as needed", "{drug} (since {month:40})"),
    "history_child": (
        "Born at term in {birthplace}, birth weight {n:2700-3900} g, Apgar 9/10.",
        "Bronchiolitis on {past:900}, not admitted.",
        "Immunizations up to date, last booster {past:300}.",
        "Recurrent otitis, ear tubes placed {past:500} by {doctor}.",
        "Atopic dermatitis, no food allergy known.", "Brother followed for Henoch-Schonlein purpura.",
        "Roseola at {n:8-14} months without seizure.",
    ),
    "social": (
        "Lives [alone|with {kin}] in {city}, [second-floor apartment|single-story house].",
        "Works as a {job}[ for {employer}|].",
        "{kin_caps} can be reached at {kinphone}.", "Independent in all ADLs, IADL 4/8.",
        "Tobacco: [never|former]. Alcohol: [occasional|one drink with dinner|none].",
        "Home address {street}, {city} {zip}[, confirmed with the patient|].",
        "Born in {birthplace}, has lived in {region} since {year:25}.",
        "Enjoys gardening (prunes the roses) and cards.",
        "Recently stayed with {kin} in {othercity}.", "Recent travel abroad in {month:20}.",
        "Social work file opened by Ms. {third_last} ({site_phone}).",
        "Direct payment of benefits set up, account {account}.",
    ),
    "social_old": (
        "Lives [alone|with {kin}] in {city}, [second-floor apartment|single-story house].",
        "Retired {job}.", "Retired {job}, formerly with {employer}.",
        "{kin_caps} can be reached at {kinphone}.", "Needs help with shopping, IADL 4/8, ADL 5/6.",
        "Tobacco: [never|former]. Alcohol: [occasional|one drink with dinner|none].",
        "Home address {street}, {city} {zip}[, confirmed with the patient|].",
        "Born in {birthplace}, has lived in {region} since {year:25}.",
        "Visiting nurse twice a day, meals on wheels.", "Enjoys gardening (prunes the roses).",
        "Social work file opened by Ms. {third_last} ({site_phone}).",
    ),
    "social_child": (
        "Attends school in {city}, lives with parents and a little brother.",
        "Here with {kin}, cell {kinphone}.", "Lives at {street}, {city} {zip}, one cat, no smokers.",
        "Day care with Ms. {third_last}.", "Followed by {gp}, vaccine card reviewed.",
    ),
    "treatment": (
        "{drug}", "{drug}", "{drug}", "{drug} (since {month:40})", "{drug}",
        "{drug} (started {recent:200} by {gp})",
    ),
    "treatment_child": (
        "acetaminophen 15 mg/kg every 6 h for fever", "albuterol 2 puffs as needed",
        "vitamin D {n:400-800} IU daily", "amoxicillin 80 mg/kg/day until {next:8}",
    ),
    "exam": (
        "BP {n:108-162}/{n:58-92}, HR {n:58-112}, SpO2 {n:91-99}% on room air, T {d:97.4-101.9} F.",
        "Weight {pounds} lb, height {height} cm, BMI {bmi}.",
        "Regular rhythm, no murmur, Homans sign absent.",
        "Breath sounds symmetric, [no added sounds|a few basal crackles].",
        "Abdomen soft, Murphy sign negative, McBurney point [not tender|tender].",
        "Glasgow Coma Scale 15, no focal deficit, Babinski absent, Romberg negative.",
        "No lymphadenopathy, no Virchow node.", "Skin [pink|pale], no purpura, normal turgor.",
        "Pain {n:1-8}/10, Karnofsky [70|80|90|100], ECOG 1.",
        "Missing teeth 14 15 19 30 31 32, partial denture.",
        "Straight leg raise (Lasegue) negative on both sides, reflexes present.",
    ),
    "exam_child": (
        "Weight {weight} kg, T {d:97.8-103.0} F, HR {n:88-140}, RR {n:20-36}, SpO2 {n:91-99}%.",
        "Playful in the waiting room, pink, well hydrated.",
        "Tympanic membranes [clear|injected], no neck stiffness, Brudzinski negative.",
        "Abdomen soft, no hernia, bowel sounds present.", "Growth curve steady at the 50th percentile.",
    ),
    "labs": (
        "Hemoglobin {d:9.1-15.4} g/dL, WBC {d:4.1-14.9}, platelets {n:150-410}.",
        "Repeat Hgb 12.03 g/dL (normal 12-16), MCV {n:82-98} fL.",
        "CRP {n:2-148} mg/L, procalcitonin {d:0.1-3.9} ng/mL.",
        "Creatinine {d:0.6-1.6} mg/dL, Cockcroft-Gault clearance {n:38-105} mL/min.",
        "Na {n:132-144}, K {d:3.2-5.1}, Cl {n:96-108}, CO2 {n:20-29}.",
        "AST {n:14-62}, ALT {n:12-71}, alk phos {n:48-160} U/L.",
        "Fingersticks: 105 - 112 - 98 - 120 mg/dL.", "INR {d:1.0-2.8}, von Willebrand factor normal.",
        "Labs of {recent:20}: ferritin {n:18-480} ng/mL, TSH {d:0.5-4.2} mIU/L.",
        "Blood cultures drawn {recent:6} at {time}, no growth at 48 h.",
        "Urinalysis {recent:9}: WBC 10-20/hpf, culture [negative|E. coli 10^5].",
        "ABG: pH 7.41, pCO2 {n:35-48}, lactate {d:0.8-2.9} mmol/L.",
    ),
    "labs_child": (
        "Rapid strep and influenza tests negative on {recent:3}.", "Glucose {n:72-118} mg/dL.",
        "Urinalysis {recent:4}: no leukocytes, no nitrites.",
    ),
    "followup": (
        "Since the visit of {past:200}, {he|she} has been stable and sleeping well.",
        "{kin_caps} helps with medications and reports no fall.",
        "{He|She} was seen on {past:90} by {doctor}, who made no change.",
        "Appetite is fair, weight {pounds} lb, no new complaint.",
        "Physical therapy twice a week in {city} since {month:6}.",
    ),
    "course": (
        "On {step}, [afebrile|pain controlled|tolerating diet], ambulating with assistance.",
        "{doctor} was consulted on {step} and [found no complication|advised to continue].",
        "Physical therapy started on {step}, walker at discharge.",
        "Labs on {step}: CRP {n:4-60} mg/L, creatinine {d:0.6-1.5} mg/dL.",
        "Family meeting on {step} with {kin} ({kinphone}).",
        "On {step} there was a brief episode of [pain|nausea|confusion], resolved.",
        "Enoxaparin prophylaxis until {step}.", "No pressure injury, Braden score {n:15-22}.",
        "Transferred from {ward} on {step} at the request of {doctor}.",
        "Nutrition consult: low-fiber diet, ate a small breakfast.",
        "Unwitnessed fall without injury on {step} around {time}, reported.",
    ),
    "outcome": (
        "Discharged home on {discharge} to {street}, {city}, [by ambulance|with {kin}].",
        "Follow-up with {doctor} on {next:60} at {time}.",
        "Repeat blood work the week of {next:14}.",
        "Off work until {next:30}, {gp} may extend.",
        "Call {site_phone} (24/7) for fever or pain.", "Continued care by {gp}{gp_city}, copy sent.",
        "Appointment letter sent to {email}, or call {phone}.",
        "Home health agency in {othercity} notified, {other_phone}.",
        "Accepted at {otherhospital} for rehabilitation on {next:12}.",
        "Prior authorization requested, member ID {insurance}.",
    ),
    "outcome_child": (
        "Discharged home on {discharge} with {kin}, {street}, {city}.",
        "Follow-up with {doctor} on {next:40} at {time}.", "Call {site_phone} (24/7) for fever.",
        "School excuse until {next:7}.", "Parents reached at {phone}, summary sent to {email}.",
    ),
    "anaesthesia": (
        "General endotracheal anesthesia, [easy|difficult] intubation, Mallampati {n:1-3}, ASA {n:1-3}.",
        "Supine position, arms tucked, pressure points padded.",
        "Cefazolin 2 g given [at {time}|30 minutes before incision].",
        "Time-out completed: identity, side, allergies.",
        "Ultrasound-guided block by {doctor}, ropivacaine 0.375%.",
        "Foley catheter 16 Fr, Trendelenburg 15 degrees.",
    ),
    "operation": (
        "Kocher and Kelly clamps on the pedicles, Metzenbaum scissors.",
        "Hemostasis was excellent, estimated blood loss {n:50-450} mL.","A Jackson-Pratt drain was left in place.",
        "Counts were correct (20/20).", "Closure in layers, 3-0 Vicryl, staples to skin.",
        "Duration {n:45-190} minutes, out of room at {time}.",
    ),
    "after_operation": (
        "Recovery room, Aldrete score 10/10", "Out of bed on day 1, physical therapy",
        "Staples out on {next:16}", "Enoxaparin 40 mg daily until {next:30}",
        "Acetaminophen and ice, tramadol as needed", "Clinic with {surgeon} on {next:45}",
        "{kin_caps} called after the procedure ({kinphone})", "Pathology result at {site_phone}",
    ),
    "macroscopy": (
        "Received in formalin, inked and submitted in toto.",
        "Cassettes A1 to A{n:3-9} and B1 to B{n:2-6}.",
        "Fragment of {n:4-28} x {n:3-19} x {n:2-9} mm, rose to tan.",
        "Container labeled {LAST}, {first}, matches requisition.",
    ),
    "microscopy": (
        "No lymphovascular or perineural invasion.", "Hematoxylin and eosin, 3 levels.",
        "Adjacent tissue shows mild lymphoplasmacytic inflammation.",
        "Mitotic rate {n:1-14} per 10 high-power fields.", "Margins free, closest {n:2-18} mm.",
    ),
    "stains": (
        "Giemsa: no Helicobacter", "Ki-67: {n:5-80}%", "Prussian blue: negative", "PAS: positive",
        "Congo red: negative", "Ziehl-Neelsen: no acid-fast bacilli", "Gram: no organisms",
        "Frozen section of {day}, called to {doctor} at {time}",
    ),
    "diagnosis": (
        "No malignancy in the remaining specimens.",
        "Outside review by {doctor} ({otherhospital}) pending, expected {next:20}.",
        "Compared with {exam:old} of {past:900}.",
    ),
    "technique": (
        "Helical acquisition after {n:70-120} mL of Omnipaque 350.",
        "Multiplanar reformats, soft tissue and bone windows.",
        "DLP {n:210-880} mGy.cm; comparison {past:800}.", "No contrast reaction.",
        "T1, T2 and diffusion sequences at 1.5 T, software version 4.2.1.",
    ),
    "imaging": (
        "No pleural or pericardial effusion.", "No suspicious bone lesion.",
        "Simple renal cyst of {n:8-35} mm, Bosniak 1.", "Calcified atheroma, normal caliber aorta.",
        "Unchanged from {past:700}.", "Thyroid nodule of {n:5-18} mm, TI-RADS 3.",
        "Small Spigelian hernia.", "Smooth liver, fine duct of Wirsung.",
    ),
    "impression": (
        "Clinical correlation recommended.", "Follow-up suggested in {nextmonth:9}.",
        "Findings called to {doctor} on {day} at {time}.",
    ),
    "conduct": (
        "Admit to {ward} under {doctor}", "Acetaminophen 1 g, reassess at {time}",
        "IV access, labs sent", "Discussed with {doctor} at {time}", "{kin_caps} called at {kinphone}",
        "Telemetry, hourly vitals, NEWS {n:1-7}", "Letter for {gp}, recheck on {next:5}",
    ),
    "vitals": (
        "{step} {time}: BP {n:102-160}/{n:58-90}, HR {n:58-104}, T {d:97.2-101.6}, SpO2 {n:92-99}%.",
        "{step} {time}: urine output {n:400-1900} mL, pain {n:0-7}/10, glucose {n:80-220}.",
        "Weight on {step}: {pounds} lb.", "Braden {n:14-22}, Morse {n:15-65}, MNA 24/30.",
    ),
    "vitals_child": (
        "{step} {time}: HR {n:88-132}, T {d:97.4-102.9}, SpO2 {n:92-99}%, RR {n:20-34}.",
        "Weight on {step}: {weight} kg. FLACC {n:0-6}/10.",
    ),
    "transmissions": (
        "{step} {time}: [resting comfortably|slept well|restless night], [ate breakfast|refused tray]."
        " RN {nurse}",
        "{step}: dressing changed, incision clean and dry. {nurse}",
        "{step} {time}: {kin} called, please call back at {kinphone} after rounds.",
        "{step}: pain {n:2-8}/10, Tylenol 650 mg given at {time} with relief.",
        "{step}: seen by {doctor}, new order ({drug}).",
        "{step} {time}: IV site left forearm rosy, not warm, catheter changed.",
        "{step}: up in chair, walked {n:60-260} feet with PT.",
        "{step}: {doctor} met the family; {kin} asks to see the social worker.",
        "{step} {time}: bowel movement once, Foley catheter removed.",
        "{step}: wristband checked ({LAST}, {first}, {birth}), label {ipp}.",
    ),
    "opinion": (
        "I will see {him|her} again on {next:120}.", "I suggest continuing {drug}.",
        "Next blood work around {next:30} at the laboratory in {city}.",
        "At {his|her} request a copy goes to the occupational physician of {employer}.",
        "Please call {site_phone} or write to {author_email}.",
        "Overall reassuring, no change in therapy.", "Appointment with {doctor} on {next:50}.",
        "The CT done at {otherhospital} on {past:400} was reviewed today.",
    ),
    "previous": (
        "{earlier}: exam {exam:old}, {otherhospital}, no suspicious finding.",
        "{earlier}: seen by {doctor}, [stable|no change|continue surveillance].",
        "{earlier}: emergency visit for [pain|dizziness], sent home.",
        "{earlier}: letter from {gp}{gp_city} asking for advice.",
        "{earlier}: Hgb {d:10.2-14.8} g/dL, creatinine {d:0.6-1.4} mg/dL, laboratory in {city}.",
        "{earlier}: stay at {otherhospital}, left with {kin}.",
    ),
    "question": ("Adjuvant therapy?", "Re-excision or surveillance?"),
    "decision": (
        "{doctor} to see the patient on {next:14}", "Clinical trial discussed",
        "Teaching visit on {next:10} with {nurse}, RN", "Complete staging workup",
        "Present again on {next:90}", "Letter to {gp}",
    ),
}  # fmt: skip

TRAPS = (
    "Graves disease", "Dupuytren contracture", "Raynaud phenomenon", "Paris green", "Parkinson disease",
    "Babinski absent", "Murphy sign", "12.03 g/dL", "Foley catheter", "small breakfast", "Page 1/2",
    "version 2.1.3", "Braden score", "pH 7.41", "105 - 112 - 98 - 120", "14 15 19 30 31 32",
    "Kocher and Kelly", "Gilbert syndrome", "Jackson-Pratt", "Schirmer test", "Crohn disease",
    "Lewy body", "Hodgkin lymphoma", "Reed-Sternberg", "Charcot joint", "angle of Louis", "1/2 tablet",
    "von Willebrand", "Montreal L3B2",
)  # fmt: skip

LANGUAGE = LetterLanguage("en", KINDS, POOLS, WORDS, STORIES, ANNEXES, TRAPS)
