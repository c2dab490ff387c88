"""An integration that makes Home Assistant do what a test says on standard input, and say how that went on standard output.

First it pairs, by the steps of homekit_controller's own dialogue, with the one bridge that is there; the first line is its
setup code. Then each line is a brightness, 1 to 255, to which the light is switched from off.
"""

import asyncio
import json
import sys

DOMAIN = "hass_driver"
MARK = "hass_driver: "


async def async_setup(hass, config):
    hass.async_create_background_task(run(hass), DOMAIN)
    return True


def say(**words):
    print(MARK + json.dumps(words), flush=True)


async def run(hass):
    try:
        await pair(hass)
        while line := await hass.async_add_executor_job(sys.stdin.readline):
            await turn_on(hass, int(line))
    except Exception as error:
        say(error=repr(error))
        raise


async def pair(hass):
    code = (await hass.async_add_executor_job(sys.stdin.readline)).strip()
    flow = hass.config_entries.flow
    while (step := await flow.async_init("homekit_controller", context={"source": "user"}))["type"] == "abort":
        await asyncio.sleep(0.5)
    device = next(iter(next(iter(step["data_schema"].schema.values())).container))
    step = await flow.async_configure(step["flow_id"], {"device": device})
    step = await flow.async_configure(step["flow_id"], {"pairing_code": code})
    while not hass.states.async_entity_ids("light") or not is_subscribed(hass):
        await asyncio.sleep(0.1)
    say(paired=step.get("title"), lights=hass.states.async_entity_ids("light"))


def is_subscribed(hass):
    """Home Assistant subscribes a moment after it has shown the light."""
    return any(device.pairing.subscriptions for device in hass.data.get("homekit_controller-devices", {}).values())


async def turn_on(hass, brightness):
    light = {"entity_id": hass.states.async_entity_ids("light")[0]}
    await hass.services.async_call("light", "turn_off", light, blocking=True)
    await hass.services.async_call("light", "turn_on", light | {"brightness": brightness}, blocking=True)
    # What is shown in the end: what became of a write comes a moment behind its answer.
    await asyncio.sleep(1)
    shown = hass.states.get(light["entity_id"])
    say(brightness=brightness, state=shown.state, shown=shown.attributes.get("brightness"))
