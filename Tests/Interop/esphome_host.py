"""Builds real ESPHome firmware as Linux programs, outside of CI: two with lights of all modes, one with all other kinds.

    pip install esphome; python esphome_host.py DIRECTORY [NOISE_C]

Writes the configurations, lets ESPHome generate their source, compiles it with g++ (a minute each), and prints the
programs' paths. It doesn't use PlatformIO, because CI can't rely on its registry. The program with a key is therefore built
only if NOISE_C is a checkout of github.com/esphome/noise-c, with the system's libsodium. The programs listen on 16053 (lights, key
below), 16054 (lights) and 16055 (esphome_house.yaml, which test_esphome_house.py uses).
"""

import subprocess
import sys
from pathlib import Path

KEY = "bOFFzzvfpg5DB94DuBGLXD/hMnhpDKgP9UQyBulwWVU="
OUTPUTS = "".join(f"  - {{platform: template, id: o{n}, type: float, write_action: []}}\n" for n in range(1, 6))
WHITES = "cold_white_color_temperature: 153 mireds, warm_white_color_temperature: 500 mireds"
RGB = "red: o1, green: o2, blue: o3"
LIGHTS = [
    "binary, name: Plain, output: b1", "monochromatic, name: Dim, output: o1",
    f"color_temperature, name: Temper, color_temperature: o1, brightness: o2, {WHITES}",
    f"cwww, name: Cold Warm, cold_white: o1, warm_white: o2, {WHITES}", f"rgb, name: Color, {RGB}",
    f"rgbw, name: Color White, {RGB}, white: o4", f"rgbw, name: Locked, {RGB}, white: o4, color_interlock: true",
    f"rgbct, name: Color Temper, {RGB}, color_temperature: o4, white_brightness: o5, {WHITES}",
    f"rgbww, name: Color Cold Warm, {RGB}, cold_white: o4, warm_white: o5, {WHITES}",
]


def configuration(name, mac, port, key=None):
    encryption = f"\n  encryption: {{key: '{key}'}}" if key else ""
    lights = "".join(f"  - {{platform: {light}}}\n" for light in LIGHTS)
    return f"""esphome: {{name: {name}-lamp, friendly_name: {name.title()}}}
host: {{mac_address: "{mac}"}}
logger:
api:
  port: {port}{encryption}
output:
{OUTPUTS}  - {{platform: template, id: b1, type: binary, write_action: []}}
light:
{lights}switch:
  - {{platform: template, name: Relay, optimistic: true}}
"""


def compile_all(sources, flags, compiler, output, headers=0):
    """Compile the files whose objects are older than their source or the headers."""
    output.mkdir(parents=True, exist_ok=True)
    for source in sources:
        made = output / (source.as_posix().strip("/").replace("/", "_") + ".o")
        if not made.exists() or made.stat().st_mtime < max(source.stat().st_mtime, headers):
            subprocess.run([compiler, "-c", "-w", "-O0", *flags, str(source), "-o", str(made)], check=True)
    return [str(path) for path in sorted(output.glob("*.o"))]


def build(directory, name, text, noise):
    file = directory / f"{name}.yaml"
    file.write_text(text)
    subprocess.run([sys.executable, "-m", "esphome", "compile", "--only-generate", str(file)], check=True)
    tree = directory / f".esphome/build/{name}-lamp"
    flags = ["-std=gnu++20", "-fno-exceptions", "-DUSE_HOST", "-DESPHOME_LOG_LEVEL=5", f"-I{tree}/src"]
    objects = []
    if noise:
        flags.append(f"-I{noise}/include")
        sources = [
            path for folder in ("protocol", "backend/sodium", "crypto/blake2") for path in (noise / "src" / folder).glob("*.c")
            if path.name != "rand_sodium.c"] + [noise / "src/backend/ref/hash-blake2s.c"]
        parts = ["-DNOISE_USE_LIBSODIUM=1", f"-I{noise}/include", f"-I{noise}/src", f"-I{noise}/src/protocol"]
        objects = compile_all(sources, parts, "gcc", directory / "noise")
    # Recompile everything after a change of the configuration: every file includes its defines.
    headers = max(path.stat().st_mtime for path in (tree / "src").rglob("*.h"))
    objects += compile_all(sorted((tree / "src").rglob("*.cpp")), flags, "g++", tree / "objects", headers)
    program = directory / f"{name}-lamp"
    subprocess.run(["g++", *objects, "-lpthread", "-lsodium", "-o", str(program)], check=True)
    print(program)


def main(directory, noise=None):
    directory = Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    build(directory, "house", Path(__file__).with_name("esphome_house.yaml").read_text(), None)
    build(directory, "hall", configuration("hall", "06:35:69:ab:f6:80", 16054), None)
    if noise:
        build(directory, "den", configuration("den", "06:35:69:ab:f6:79", 16053, KEY), Path(noise).resolve())


if __name__ == "__main__":
    main(*sys.argv[1:])
