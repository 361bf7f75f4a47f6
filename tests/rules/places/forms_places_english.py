"""Marked values and contexts of English places, sites, jobs and companies."""

ENGLISH_STREETS = """
[[123 Main Street|STREET]]
[[221B Baker Street|STREET]]
[[4500 N. Lincoln Ave|STREET]]
[[45 West 34th Street|STREET]]
[[1600 Pennsylvania Avenue NW|STREET]]
[[12 Oak St., Apt 4B|STREET]]
[[77 Massachusetts Ave., Suite 300|STREET]]
[[9 Elm Court|STREET]]
[[310 Cedar Drive|STREET]]
[[88 Maple Lane, Unit 12|STREET]]
[[19 Orchard Rd|STREET]]
[[250 Hillcrest Blvd|STREET]]
[[7 Willow Way|STREET]]
[[5 Church Lane|STREET]]
[[14 Park Crescent|STREET]]
[[8 Kings Parade|STREET]]
[[742 Evergreen Terrace|STREET]]
[[1020 Riverside Pkwy|STREET]]
[[36 Sunset Circle|STREET]]
[[400 MAIN ST APT 4|STREET]]
[[12345 Old Mill Road|STREET]]
[[62 St. James Place|STREET]]
[[901 Martin Luther King Jr. Blvd|STREET]]
[[3 Abbey Close|STREET]]
[[Flat 3, 12 Baker Street|STREET]]
[[1420 5th Ave #12|STREET]]
[[2200 Highway 61|STREET]]
[[55 County Road 12|STREET]]
[[17 Meadow View|STREET]]
[[630 Quail Ridge Trail|STREET]]
[[18 Mill Hill|STREET]]
[[26 Rose Gardens|STREET]]
[[41 Station Mews|STREET]]
[[205 Harbor Dr, Floor 2|STREET]]
[[10 Chestnut Grove|STREET]]
[[33 Wharf Row|STREET]]
"""
ENGLISH_TOWNS = """
[[Boston|CITY]], [[MA|REGION]] [[02118|ZIP]]
[[Boston|CITY]] [[MA|REGION]] [[02118-1234|ZIP]]
[[02118|ZIP]] [[Boston|CITY]]
[[Winston-Salem|CITY]], [[NC|REGION]] [[27101|ZIP]]
[[Saint Paul|CITY]], [[Minnesota|REGION]] [[55101|ZIP]]
[[St. Louis|CITY]], [[MO|REGION]] [[63101|ZIP]]
[[London|CITY]] [[SW1A 1AA|ZIP]]
[[Leeds|CITY]], [[LS2 9JT|ZIP]]
[[Toronto|CITY]], [[ON|REGION]] [[M5V 2T6|ZIP]]
[[Vancouver|CITY]] [[V6B 1A1|ZIP]]
[[Elmira|CITY]], [[NY|REGION]]
[[SPRINGFIELD|CITY]], [[IL|REGION]] [[62704|ZIP]]
"""
SITES_EN = """
[[St. Mary's Hospital|HOSPITAL]]
[[Massachusetts General Hospital|HOSPITAL]]
[[Northfield Medical Center|HOSPITAL]]
[[Mayo Clinic|HOSPITAL]]
[[Royal Infirmary of Edinburgh|HOSPITAL]]
[[Royal London Hospital|HOSPITAL]]
[[University of Michigan Hospital|HOSPITAL]]
[[Ashgrove Nursing Home|HOSPITAL]]
[[Elm Tree Surgery|HOSPITAL]]
[[Cedar Grove Rehabilitation Center|HOSPITAL]]
[[Dana-Farber Cancer Institute|HOSPITAL]]
[[Mount Sinai Hospital|HOSPITAL]]
[[Great Ormond Street Hospital|HOSPITAL]]
[[Hospital for Special Surgery|HOSPITAL]]
[[Lakeside Health Centre|HOSPITAL]]
[[St Thomas' Hospital|HOSPITAL]]
[[Addenbrooke's Hospital|HOSPITAL]]
[[Nightingale Ward|HOSPITAL]]
[[Brigham and Women's Hospital|HOSPITAL]]
[[Kingsway Medical Centre|HOSPITAL]]
[[Parkland Memorial Hospital|HOSPITAL]]
[[Sunrise Assisted Living|HOSPITAL]]
[[Harborview Medical Center|HOSPITAL]]
[[St. Christopher's Hospice|HOSPITAL]]
"""

ENGLISH = [
    (
        ENGLISH_STREETS,
        """
        Address: {}, [[Boston|CITY]], [[MA|REGION]] [[02118|ZIP]]
        He lives at {}, [[Springfield|CITY]]
        Mr. Gray\\n{}\\n[[Trenton|CITY]], [[NJ|REGION]] [[08601|ZIP]]
        Patient resides at {}.
        """,
    ),
    (
        ENGLISH_TOWNS,
        """
        [[12 Oak Street|STREET]], {}
        [[12 Oak Street|STREET]]\\n{}
        [[P.O. Box 1234|STREET]], {}
        Dr. Helen Gray\\n{}\\nDear colleague,
        """,
    ),
    (
        SITES_EN,
        """
        He was transferred from {} yesterday.
        Admitted to {} on Monday with chest pain.
        {}\\nDepartment of Cardiology
        She is followed at {}, last seen in May.
        """,
    ),
    (
        """
        [[Elmira|CITY]]
        [[Boston|CITY]]
        [[Salt Lake City|CITY]]
        [[St. Paul|CITY]]
        [[Stratford-upon-Avon|CITY]]
        [[Baton Rouge|CITY]]
        """,
        """
        She lives in {} with her daughter.
        He was born in {} and raised on a farm.
        Resident of {}, retired.
        Recently moved from {} to be near family.
        City: {}
        Place of birth: {}
        Originally from {}, he came here in 1999.
        She grew up in {}.
        He resides in {}.
        """,
    ),
    (
        """
        [[Ohio|REGION]]
        [[California|REGION]]
        [[Cook County|REGION]]
        [[New Hampshire|REGION]]
        [[Mexico|COUNTRY]]
        [[Guatemala|COUNTRY]]
        [[Poland|COUNTRY]]
        """,
        """
        She was born in {}.
        He moved from {} last year.
        Lives in {} during the winter.
        """,
    ),
    (
        """
        [[P.O. Box 1234|STREET]]
        [[PO Box 77|STREET]]
        [[P.O. BOX 2211|STREET]]
        """,
        """
        {}, [[Albany|CITY]], [[NY|REGION]] [[12207|ZIP]]
        Please write to {}.
        """,
    ),
    (
        """
        [[bank manager|PROFESSION]]
        [[civil engineer|PROFESSION]]
        [[school teacher|PROFESSION]]
        [[truck driver|PROFESSION]]
        [[nurse|PROFESSION]]
        [[carpenter|PROFESSION]]
        """,
        """
        Occupation: {}
        She works as a {} and lives alone.
        Retired {}, non-smoker.
        He is a {} by training.
        """,
    ),
    (
        """
        [[Rhodes LLC|ORGANIZATION]]
        [[Payne-Webb Inc.|ORGANIZATION]]
        [[Green, Johnson and Sons Ltd|ORGANIZATION]]
        [[Boeing|ORGANIZATION]]
        """,
        """
        Employer: {}
        He works for {} on night shifts.
        She was previously employed by {}.
        """,
    ),
]
