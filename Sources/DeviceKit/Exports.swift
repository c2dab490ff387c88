// What a driver's configuration throws and decodes comes with this module.
@_exported import ConfigurationKit
