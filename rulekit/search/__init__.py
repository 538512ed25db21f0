"""The loop over the trees and its stages, one idea a file."""
