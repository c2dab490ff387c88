// Tests also need the types in HAPAccessory and HAPController.
@_exported import HAPAccessory
@_exported import HAPController
