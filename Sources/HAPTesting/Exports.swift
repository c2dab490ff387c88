// Tests that import this module also use the test libraries for authors of drivers and accessories.
@_exported import HAPAccessoryTesting
@_exported import LightDriverTesting
