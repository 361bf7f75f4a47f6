#!/usr/bin/env python3
"""Rebuild the list of genders of given names that the lists of the five languages do not have.

    python scripts/lexicon_genders.py

Nothing is downloaded: the names are those of the installed Faker. A changed list changes the
surrogates of names that it tells the gender of.
"""

import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from record.folding import fold  # noqa: E402
from surrogates.patient import name_lists  # noqa: E402

LISTED = ("fr", "en", "es", "de", "nl")
LOCALES = (
    "pl_PL tr_TR vi_VN en_IN ro_RO pt_PT pt_BR fr_DZ en_PK yo_NG ha_NG ig_NG zu_ZA en_NG en_KE"
    " ga_IE hr_HR cs_CZ sk_SK hu_HU sv_SE da_DK no_NO fi_FI it_IT sl_SI lt_LT lv_LV et_EE es_CA"
    " is_IS id_ID tw_GH uz_UZ az_AZ"
).split()
TABLES = {"first_names_male": "m", "first_names_female": "f", "first_names_unisex": "b"}
# Written for this project.
FURTHER = {
    "m": "Modou Kouassi Kouame Kouadio Kouamé Yao Konan Koffi Kofi Kwame Kwasi Kodjo Kokou Komlan"
    " Mamadi Mamady Sekou Seydou Siaka Souleymane Bakary Boubacar Babacar Cheikh Elhadj Alpha"
    " Alioune Assane Ousseynou Malick Demba Samba Moustapha Lamine Abdoulaye Adama Issa Issouf"
    " Drissa Yacouba Zoumana Tidiane Thierno Ousmane Pape Serigne Mor Omar Amadou Hamidou"
    " Idrissa Salif Bocar Bassirou Ismaila Chukwu Chidi Emeka Obinna Segun Tunde Babatunde"
    " Kayode Mohand Arezki Idir Mokrane Amokrane Yidir Jugurtha Massinissa Aksel Slimane"
    " Boualem Lounes Hocine Ouali Minh Hung Duc Tuan Dung Quang Thanh Hoang Huy Khoa Phuc"
    " Dmytro Oleksandr Serhii Andrii Volodymyr Mykola Ivan Yevhen Bohdan Taras Vasyl Rajesh"
    " Suresh Ramesh Kumar Sanjay Vijay Anil Sunil Mahesh Ganesh Harpreet Gurdeep Haruto"
    " Hiroshi Kenji Takashi Satoshi Takeshi",
    "f": "Adjoua Akissi Affoue Amoin Ahou Aya Akua Adwoa Abena Efua Ama Esi Adjo Afi Ndeye Ndèye"
    " Fatou Fatimata Fatoumata Aissatou Aminata Awa Mariama Mariame Maimouna Oumou Oumy Rokia"
    " Rokhaya Salimata Sira Sirandou Kadiatou Kadidia Djeneba Djenaba Diarra Hawa Assetou"
    " Assitan Nafissatou Bintou Coumba Khady Khadidiatou Astou Sokhna Marème Mame Yacine"
    " Ramatoulaye Binta Ramata Safiatou Oulimata Ngozi Chioma Adaeze Funmilayo Folake Amaka"
    " Ouassila Tassadit Ouerdia Dahbia Taous Fadhma Malha Tounsia Zahra Huong Nguyet Hoa Hong"
    " Phuong Ngoc Thuy Thao Trang Yen Loan Hanh Hien Nhung Tuyet Conceicao Olena Oksana"
    " Nataliia Yuliia Iryna Tetiana Svitlana Halyna Liudmyla Mariia Kateryna Sunita Priya"
    " Anjali Kavita Rekha Lakshmi Geeta Xiaoling Meiling Agnieszka Katarzyna Malgorzata Yuki"
    " Sakura Yoko Keiko Haruka Naoko",
}
_NAME = re.compile(r"[a-z]{3,20}")


def genders() -> dict[str, set[str]]:
    """Return the genders of each folded name that a table has."""
    found: dict[str, set[str]] = {}
    for locale in LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for table, gender in TABLES.items():
            for name in getattr(provider, table, ()) or ():
                found.setdefault(fold(name), set()).add(gender)
    for gender, names in FURTHER.items():
        for name in names.split():
            found.setdefault(fold(name), set()).add(gender)
    return found


def main() -> None:
    """Write `surrogates/lexicons/any/genders.txt`."""
    known = {name for lang in LISTED for name in name_lists.given(lang).genders}
    rows = [
        f"{name};{min(told)}"
        for name, told in sorted(genders().items())
        if _NAME.fullmatch(name) and name not in known and told in ({"m"}, {"f"})
    ]
    path = ROOT / "surrogates" / "lexicons" / "any" / "genders.txt"
    head = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    path.write_text("\n".join([*head, *rows]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
