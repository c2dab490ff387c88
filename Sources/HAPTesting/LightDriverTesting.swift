// The tests here also use the library for driver authors.
@_exported import LightDriverTesting
