"""Takes pictures of every view of the page, with a home of sixty mixed accessories, for a person to look at.

    make built && sudo .venv/bin/python Tests/Interop/web_pictures.py FOLDER [VIEW ...]

Each view is taken on a phone, on a desktop, and on a wide screen, light and dark. With views, only these are taken. `readme` as the
only view takes the README's pictures, which are as high as the window; their folder is Documentation/Pictures.
"""

import json
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import lan as pretend
import yaml
from conftest import configuration
from daemon import Daemon
from home import HomeDaemon
from lan import end, until
from test_web_kinds import EXAMPLES, Simulator
from web import Page, browser

LAMP = {"On": False, "Brightness": 60, "ColorTemperature": {"minimum": 153, "maximum": 500, "value": 350}}
COLOR = {**LAMP, "Hue": 30, "Saturation": 80}
#: The accessories that the examples don't have, by room: name, type, and characteristics.
FURTHER = {
    "Living Room": [
        ("Floor Lamp", "Lightbulb", {**LAMP, "On": True, "Brightness": 80}), ("Shelf Strip", "Lightbulb", {**COLOR, "On": True, "Hue": 280}),
        ("Reading Lamp", "Lightbulb", LAMP), ("Stereo", "Outlet", {"On": True, "OutletInUse": True}),
        ("Living Room Thermometer", "TemperatureSensor", {"CurrentTemperature": 21.5}),
        ("Living Room Humidity", "HumiditySensor", {"CurrentRelativeHumidity": 47}),
        ("Balcony Door", "ContactSensor", {"ContactSensorState": 0}),
        ("Left Blind", "WindowCovering", {"CurrentPosition": 100, "TargetPosition": 100}),
        ("Right Blind", "WindowCovering", {"CurrentPosition": 40, "TargetPosition": 40})],
    "Kitchen": [
        ("Kitchen Ceiling", "Lightbulb", {**LAMP, "On": True, "Brightness": 100}), ("Worktop Light", "Lightbulb", {"On": True}),
        ("Coffee Machine", "Outlet", {"On": False, "OutletInUse": False}), ("Dishwasher", "Switch", {"On": False}),
        ("Sink Leak", "LeakSensor", {"LeakDetected": 0}), ("Kitchen Smoke", "SmokeSensor", {"SmokeDetected": 0}),
        ("Kitchen Window", "ContactSensor", {"ContactSensorState": 1}),
        ("Fridge Thermometer", "TemperatureSensor", {"CurrentTemperature": 5.5})],
    "Bedroom": [
        ("Bedside Left", "Lightbulb", LAMP), ("Bedside Right", "Lightbulb", LAMP), ("Wardrobe", "Lightbulb", {"On": False}),
        ("Bedroom Thermometer", "TemperatureSensor", {"CurrentTemperature": 18.5}),
        ("Bedroom Purifier", "AirPurifier", {"Active": 1, "RotationSpeed": 30}), ("Bedroom Window", "ContactSensor", {"ContactSensorState": 0})],
    "Bathroom": [
        ("Mirror Light", "Lightbulb", {"On": False}), ("Bathroom Fan", "Fanv2", {"Active": 0}),
        ("Bathroom Humidity", "HumiditySensor", {"CurrentRelativeHumidity": 71})],
    "Hallway": [
        ("Hallway Light", "Lightbulb", {**LAMP, "On": True, "Brightness": 20}), ("Hallway Motion", "MotionSensor", {"MotionDetected": True}),
        ("Hallway Light Level", "LightSensor", {"CurrentAmbientLightLevel": 42})],
    "Office": [
        ("Desk Lamp with an Unusually Long Name for a Lamp", "Lightbulb", {**LAMP, "On": True}), ("Monitor", "Outlet", {"On": True, "OutletInUse": True}),
        ("Office Presence", "OccupancySensor", {"OccupancyDetected": 1}), ("Printer", "Outlet", {"On": False, "OutletInUse": False})],
    "Garden": [
        ("Patio Lights", "Lightbulb", {**COLOR, "On": False}), ("Shed", "Switch", {"On": False}), ("Path Motion", "MotionSensor", {"MotionDetected": False}),
        ("Garden Thermometer", "TemperatureSensor", {"CurrentTemperature": -2.5})],
}
#: The rooms of the accessories of the examples.
ROOMS = {
    "Color Lamp": "Living Room", "Ceiling Fan": "Living Room", "Television": "Living Room", "Bedroom Blind": "Bedroom", "Roof Window": "Office",
    "Terrace Door": "Living Room", "Wall Remote": "Hallway", "Gate Bell": "Hallway", "Front Lock": "Hallway", "Hall Thermostat": "Hallway",
    "Bath Radiator": "Bathroom", "Air Conditioner": "Bedroom", "Garage": "Garden", "Cellar Monoxide": "Hallway", "Study Air": "Office",
    "Window Vibration": "Office", "Sprinklers": "Garden", "Water Tap": "Garden", "House Alarm": "Hallway", "Bedroom Humidifier": "Bedroom"}
FAVORITES = ["Floor Lamp", "Front Lock", "Hall Thermostat", "Left Blind", "Television", "Coffee Machine"]
SIZES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
    "desktop": {"viewport": {"width": 1440, "height": 900}}, "wide": {"viewport": {"width": 2560, "height": 1440}}}


def further(folder):
    accessories = [
        {"name": name, "services": [{"type": kind, "characteristics": characteristics}]}
        for devices in FURTHER.values() for name, kind, characteristics in devices]
    file = folder / "further.yaml"
    file.write_text(yaml.safe_dump({"name": "Further Devices", "code": "314-15-926", "accessories": accessories}))
    return file


def furnish(home):
    """Give the home its rooms, scenes, automations and people."""
    for name in FURTHER:
        home.cli("rooms", "add", name)
    for room, devices in FURTHER.items():
        home.cli("assign", *(name for name, _, _ in devices), room)
    for name, room in ROOMS.items():
        home.cli("assign", name, room)
    home.cli("zones", "add", "Upstairs")
    for name in FAVORITES:
        home.cli("favorite", name)
    home.cli("homes", "location", "52.52", "13.40", check=False)
    for scene, actions in {
        "Good Morning": ["Kitchen Ceiling on brightness=80", "Left Blind open", "Right Blind open"],
        "Movie Time": ["Floor Lamp on brightness=10", "Shelf Strip on brightness=40", "Left Blind close"],
        "Good Night": ["Hallway Light off", "Floor Lamp off", "Front Lock lock"],
    }.items():
        home.cli("scenes", "add", scene)
        for action in actions:
            home.cli("scenes", "set", scene, *action.rsplit(" ", action.count("=") + 1), check=False)
    for name in ("Anna", "Ben"):
        home.cli("people", "add", name)
    home.cli("people", "set", "Anna", "home", check=False)
    home.cli("automations", "add", "Evening", "--at", "18:00", "--days", "mon-fri", "--run", "Movie Time")
    home.cli(
        "automations", "add", "Hallway Light at Night", "--when", "Hallway Motion motion", "--if", "between 22:00 and 6:00", "--set",
        "Hallway Light on", "--for", "5m")
    home.cli("automations", "add", "Leak", "--when", "Sink Leak leak", "--notify", "Water in the kitchen")
    home.cli("automations", "run", "Evening", check=False)
    for change in (["Reading Lamp", "on"], ["Reading Lamp", "off"], ["Stereo", "off"], ["Stereo", "on"], ["Right Blind", "position=40"]):
        home.cli("write", *change, check=False)


def views(home):
    """Return the paths of the views by name."""
    shown = {one["name"]: home.cli("show", one["name"], "--json") for one in home.cli("accessories", "--json")}
    main = {
        name: next((service["id"] for service in one["services"] if service.get("isPrimary")), one["services"][0]["id"])
        for name, one in shown.items()}
    rooms = {one["name"]: one["id"] for one in home.cli("rooms", "--json")}
    scenes = {one["name"]: one["id"] for one in home.cli("scenes", "--json")}
    automations = {one["name"]: one["id"] for one in home.cli("automations", "--json")}
    found = {
        "home": "/", "lights": "/status/lights", "climate": "/status/climate", "security": "/status/security", "attention": "/status/attention",
        "rooms": "/rooms", "room": f"/rooms/{rooms['Living Room']}", "order": f"/rooms/{rooms['Living Room']}/order", "scenes": "/scenes",
        "scene": f"/scenes/{scenes['Movie Time']}", "automations": "/automations", "automation": f"/automations/{automations['Evening']}",
        "new-automation": "/automations/new", "activity": "/activity", "more": "/more", "names": "/names", "accessories": "/accessories",
        "add": "/add", "people": "/people", "access": "/access", "privacy": "/privacy", "search": "/search?q=l", "bridge": "/bridge",
        "warnings": "/bridge/warnings", "pairings": "/bridge/pairings", "systems": "/bridge/systems", "missing": "/nowhere",
        "details": f"/accessories/{shown['Color Lamp']['id']}", "lamp": f"/services/{main['Color Lamp']}",
    }
    for name in (
        "Left Blind", "Front Lock", "Hall Thermostat", "Air Conditioner", "Television", "Garage", "House Alarm", "Ceiling Fan", "Bedroom Purifier",
        "Bedroom Humidifier", "Sprinklers", "Study Air", "Wall Remote", "Living Room Thermometer", "Stereo",
    ):
        found[name.lower().replace(" ", "-")] = f"/services/{main[name]}"
    return found


def take(chromium, address, paths, folder):
    for size, options in SIZES.items():
        for scheme in ("light", "dark"):
            visitor = chromium.open(address, color_scheme=scheme, **options)
            for name, path in paths.items():
                visitor.go(path)
                visitor.page.wait_for_function("() => !document.querySelector('#state.stale')")
                # The browser draws only what is near the window, so the window becomes as high as the page.
                height = visitor.page.evaluate("document.documentElement.scrollHeight")
                visitor.page.set_viewport_size({**options["viewport"], "height": max(options["viewport"]["height"], min(height, 6000))})
                visitor.page.wait_for_timeout(700)  # the live stream, and graphs
                visitor.page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                visitor.page.set_viewport_size(options["viewport"])
            visitor.context.close()


def take_readme(chromium, address, paths, folder):
    for name, size, scheme in (("home", "desktop", "light"), ("home", "phone", "dark"), ("lamp", "phone", "light")):
        # Their files are small.
        visitor = chromium.open(address, color_scheme=scheme, **{**SIZES[size], "device_scale_factor": 1.5 if size == "phone" else 1})
        visitor.go(paths[name])
        visitor.page.wait_for_function("() => !document.querySelector('.stale')")
        visitor.page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
        visitor.context.close()


@contextmanager
def furnished(host, folder):
    """A home of sixty accessories with everything that the page can show: yields the home and the page."""
    devices = folder / "devices"
    for directory in (folder / "bridge", devices):
        directory.mkdir()
    made = configuration("Lamplighter Bridge", [{"id": "porch", "name": "Porch Lamp"}, {"id": "cellar", "name": "Cellar Lamp"}])
    made["drivers"].append({"driver": "mqtt", "url": "mqtt://127.0.0.1:1"})
    daemon = Daemon(host, folder / "bridge", made).start()
    home = HomeDaemon(host, folder / "home").start()
    page, simulators = Page(host, home, folder / "page", bridge=daemon.page_socket), []
    try:
        home.cli("homes", "add", "Villa")
        for file in (EXAMPLES / "living-room.yaml", EXAMPLES / "house.yaml", further(folder)):
            simulators.append(Simulator(host, Path(shutil.copy(file, devices))))
            until(lambda: home.add(*simulators[-1].identity, check=False).returncode == 0, 60, f"{file} is added")
        daemon.until_published()
        home.add(daemon.setup_code, daemon.status["deviceId"])
        furnish(home)
        yield home, page.start()
    finally:
        page.close()
        for simulator in simulators:
            end(simulator.process)
        home.close()
        daemon.close()


def main(folder, *wanted):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lan = pretend.PretendLAN()
    with tempfile.TemporaryDirectory() as temporary, lan.add_host("pictures", "10.77.0.38") as host:
        temporary = Path(temporary)
        with furnished(host, temporary) as (home, page), browser(host, temporary) as chromium:
            paths = views(home)
            print(json.dumps({"accessories": len(home.cli("accessories", "--json")), "views": len(paths)}))
            if wanted == ("readme",):
                take_readme(chromium, page.address, paths, folder)
            else:
                take(chromium, page.address, {name: path for name, path in paths.items() if not wanted or name in wanted}, folder)
    lan.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
