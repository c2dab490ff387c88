// Tests that import this module also need the test libraries for authors of drivers and accessories.
@_exported import HAPAccessoryTesting
@_exported import LightDriverTesting
