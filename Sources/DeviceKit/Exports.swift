// A driver's configuration needs the errors and decoders of this module.
@_exported import ConfigurationKit
