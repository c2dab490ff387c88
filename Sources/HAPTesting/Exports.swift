// The tests here also use the libraries for authors of drivers and accessories.
@_exported import HAPAccessoryTesting
@_exported import LightDriverTesting
