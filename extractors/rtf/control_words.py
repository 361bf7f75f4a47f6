"""Control words of RTF 1.9.1: which write a character, and which hold what nobody sees."""

BREAKS = frozenset("par line lbr page column sect".split())
"""Words that end a line."""

CHARACTERS = {
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zwbo": "\u200b",
    "zwnbo": "\u2060",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}
"""Words that stand for a character."""

SIGNS = {
    b"~": "\u00a0",
    b"_": "-",
    b"-": "",
    b"\n": "\n",
    b"\r": "\n",
    b"\t": "\t",
    b"|": "",
    b":": "",
}
"""Signs after a backslash that stand for a character; the optional hyphen is not seen."""

DROPPED = frozenset(
    # Tables of the file, and what is said about it
    "colortbl stylesheet info filetbl revtbl rsidtbl listtable listoverridetable generator "
    "title subject author manager company operator category keywords comment doccomm hlinkbase "
    "creatim revtim printim buptim userprops docvar xmlnstbl themedata colorschememapping "
    "datastore latentstyles template private nextfile mailmerge "
    # Marks within the text
    "bkmkstart bkmkend xe tc tcn rxe txe bxe atnid atnauthor atndate atnref atntime atrfstart "
    "atrfend atnparent atnicn ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    # Pictures, objects, and other ways to write what is written once more
    "nonshppict nonesttables shprslt objdata objclass objname objalias objsect objtime "
    "mmathPict bkmkpub background blipuid picprop "
    # Parts of lists, fields and fonts
    "pnseclvl pn pntxta pntxtb listlevel leveltext levelnumbers listname falt panose fontemb "
    "fontfile fldtype ffname ffdeftext ffformat ffhelptext ffstattext ffentrymcr ffexitmcr "
    "datafield htmltag mhtmltag mvfmf mvfml mvtof mvtol".split()
)
"""Destinations that nobody sees."""

HELD = frozenset("shpinst do upr nesttableprops sp".split())
"""Destinations that hold destinations that are seen, and much else."""

RESUMED = frozenset("ud result fldrslt".split())
"""Destinations that are seen within those that are not."""

SEEN = frozenset(
    "rtf shp shpgrp object listtext pntext shppict moMath moMathPara mr mf mnum mden me msub msup "
    "mdeg mfName mlim msSup msSub msSubSup msPre mrad mnary mfunc macc mbar mbox mborderBox mm mmr "
    "md meqArr mgroupChr mlimLow mlimUpp mphant".split()
)
"""Destinations whose text is part of what is around them."""

MARGINS = {
    **dict.fromkeys(("header", "headerr", "footer", "footerr"), ""),
    **dict.fromkeys(("headerl", "footerl"), "facingp"),
    **dict.fromkeys(("headerf", "footerf"), "titlepg"),
}
"""Headers and footers, and the word without which the document does not show them."""
