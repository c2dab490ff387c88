// Tests need the types of both libraries: HAPAccessory and HAPController.
@_exported import HAPAccessory
@_exported import HAPController
