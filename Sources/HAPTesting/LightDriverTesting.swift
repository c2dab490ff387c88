// What authors of drivers get, the tests here use as well.
@_exported import LightDriverTesting
