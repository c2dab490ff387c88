// A test needs the types of both ends.
@_exported import HAPAccessory
@_exported import HAPController
