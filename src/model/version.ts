import packageJson from '../../package.json' with { type: 'json' };

/** Version of this program, as in package.json. */
export const appVersion: string = packageJson.version;

/** How the program names itself to the platform. */
export const userAgent = `${packageJson.name}/${packageJson.version}`;
