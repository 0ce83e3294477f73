"""Realistic secrets in realistic files, by kind.

Each value is between ⟦ and ⟧, and cut by ¦, so that no scanner takes this file for a leak. The rules were tuned on the
first set. The second was written before that and seen only then: 16 of its 89 were missed at first sight.
"""

# ruff: noqa: E501 - a sample is a row

from __future__ import annotations

import re

_SECRET = re.compile("⟦(.*?)⟧", re.DOTALL)


def read_sample(sample: str) -> tuple[str, list[int]]:
    """Return the text of a sample, and the numbers of the lines with a secret."""
    whole = sample.replace("¦", "")
    rows = {
        whole.count("\n", 0, found.start()) + 1 + row
        for found in _SECRET.finditer(whole)
        for row in range(found[1].count("\n") + 1)
    }
    return whole.replace("⟦", "").replace("⟧", ""), sorted(rows)


FIRST = {
    "settings.py: default of a look-up": "SECRET_KEY = os.environ.get('SECRET_KEY') or '⟦h4rd-to-gu¦ess-Zebra91⟧'\n",
    "settings.py: second argument": 'DB_PASS = os.getenv("DB_PASS", "⟦Winter¦2019!x⟧")\n',
    "config.js: or": "const dbPassword = process.env.DB_PASSWORD || '⟦kX9#mP¦2vLq⟧';\n",
    "config.ts: nullish": 'export const jwtSecret = process.env.JWT_SECRET ?? "⟦f8K2pQ9z¦Lm4Xw7Rt⟧";\n',
    "app.rb: fetch": "config.secret = ENV.fetch('APP_SECRET', '⟦b81f0c2d9¦e7a4f6385d1⟧')\n",
    "main.go: helper": 'token := getEnv("API_TOKEN", "⟦q8ZrT5vN¦1cYw3KdB⟧")\n',
    "application.yml: spring default": "spring:\n  datasource:\n    password: ${DB_PASSWORD:⟦Blau-Wal¦77⟧}\n",
    "Service.java: annotation": '@Value("${mail.password:⟦mAil!99¦Relay⟧}")\nprivate String mailPassword;\n',
    "start.sh: default": 'export PGPASSWORD="${PGPASSWORD:-⟦pg_l0cal¦Pw!7⟧}"\n',
    "config.php: env": "'password' => env('DB_PASSWORD', '⟦Gr33n¦Tea$Cup⟧'),\n",
    "settings.py: django": "SECRET_KEY = 'django-insecure-⟦k3$w)8v#1¦m_qz7r^x&0p2(y!t5u*n4⟧'\n",
    "settings.py: django with a reference inside": "SECRET_KEY = '⟦9$(dj2k)!¦m3@qv7+x_h&z1p5%w8r^t0y⟧'\n",
    "deploy.yaml: name and value": "env:\n  - name: DB_PASSWORD\n    value: ⟦Sommer¦fest24!⟧\n  - name: PORT\n    value: '80'\n",
    "deploy.yaml: quoted value": '        - name: REDIS_AUTH_TOKEN\n          value: "⟦vT7q2Lx9¦KpW4mZ8s⟧"\n',
    "task.json: name and value": '{\n  "name": "STRIPE_API_KEY",\n  "value": "⟦8fK3qLz9X¦w2Vn7Rt5Yp⟧"\n}\n',
    "task.json: value and name": '[{"value": "⟦Herbst!La¦ub_31⟧", "name": "SMTP_PASSWORD"}]\n',
    "web.config: key and value": '<add key="SmtpPassword" value="⟦Post!¦Bote7⟧" />\n',
    "pom.xml: elements": "<property>\n  <name>jdbc.password</name>\n  <value>⟦Dbx!77¦kangaroo⟧</value>\n</property>\n",
    "collection.json: key and value": '{\n  "key": "api_token",\n  "type": "text",\n  "value": "⟦7hG2kL9pQ4¦xZ8wV1⟧"\n}\n',
    "stack.yaml: parameter": "Parameters:\n  DBPassword:\n    Type: String\n    Default: ⟦Aurora¦DB#2020⟧\n",
    "variables.tf": 'variable "db_password" {\n  type        = string\n  description = "The password"\n  default     = "⟦Tf-Pa55¦!orange⟧"\n}\n',
    "main.tf": 'resource "aws_db_instance" "main" {\n  username = "admin"\n  password = "⟦barb¦ut8chevy⟧"\n}\n',
    "backup.sh: mysqldump": "mysqldump -u root -p⟦Ch33se¦Burger shop⟧ > shop.sql\n".replace(" shop⟧", "⟧ shop"),
    "backup.sh: mysql long": "mysql --user=root --password=⟦Mys9l¦Root!⟧ -e 'show tables'\n",
    "check.sh: curl": "curl -s -u admin:⟦Adm1n¦!pw9 https://host.example/api⟧\n".replace(
        " https://host.example/api⟧", "⟧ https://host.example/api"
    ),
    "check.sh: curl quoted": "curl --user 'deploy:⟦gr8-Deplo¦y#Key⟧' https://host.example\n",
    "tunnel.sh: sshpass": "sshpass -p '⟦Sup3r!¦ssh⟧' ssh ops@10.0.0.5\n",
    "cache.sh: redis": "redis-cli -h cache.internal -a ⟦r3dis_Qw¦7xLp2 ping⟧\n".replace(" ping⟧", "⟧ ping"),
    "login.sh: docker": "docker login -u ci -p ⟦D0ck3r¦H4b!t registry.example⟧\n".replace(
        " registry.example⟧", "⟧ registry.example"
    ),
    "deploy.sh: flag and blank": "vault-login --role deploy --secret-id ⟦4b7e1d90-¦2f6c-4a8e-9d3b-71c5e8f0a264⟧\n",
    "Makefile: flag": "\tfly secrets set --token ⟦fo1_x9Kq¦2LmZ8vWt4Rp7⟧\n",
    "dump.sh: mongo": "mongodump --host db1 -u backup -p '⟦M0ng0¦_dump!⟧' --db app\n",
    "sign.sh: openssl": "openssl rsa -in key.pem -passin pass:⟦Zug-nach¦-Basel9⟧ -out plain.pem\n",
    "sign.sh: gpg": "gpg --batch --passphrase '⟦my dog h¦ates mondays 7⟧' -c backup.tar\n",
    "secret.sh: kubectl": "kubectl create secret generic db --from-literal=password=⟦k8s!P4ss¦Word9⟧\n",
    "archive.sh: zip": "zip -P ⟦z1p¦-Loc!ked out.zip⟧ data/*\n".replace(" out.zip⟧", "⟧ out.zip"),
    "ldap.sh": "ldapsearch -x -D cn=admin,dc=example -w ⟦Ld4p!¦Bind22 -b dc=example⟧\n".replace(
        " -b dc=example⟧", "⟧ -b dc=example"
    ),
    "users.csv": "id,email,password,role\n1,ada@example.org,⟦Lovel4ce¦!15⟧,admin\n2,bob@example.org,⟦b0bby¦tables⟧,user\n",
    "accounts.csv: plain words": "username,passwd\nmira,⟦sunflower¦mountain⟧\njon,⟦dragonfly¦88⟧\n",
    "keys.tsv": "service\tapi_key\tnotes\nmaps\t⟦Xk29dLq0¦ZpVm83Rt⟧\tprod\n",
    "logins.csv: semicolons": "Host;User;Kennwort;Password\nweb1;root;-;⟦We¦b1#root!⟧\n",
    "runbook.md: table": "| system | user | password |\n|---|---|---|\n| grafana | admin | ⟦Gr4f¦ana!23⟧ |\n",
    "runbook.md: sentence": "The password for the staging box is ⟦Hasen¦fuss42⟧, ask Tim if it fails.\n",
    "notes.txt: sentence": "Log in as deploy with password ⟦t3rmin¦al-Velocity⟧ and restart nginx.\n",
    "README.md: sentence": "Use the default credentials `admin` / `⟦n0t-So¦-Def4ult⟧` to sign in.\n",
    "mail.txt: sentence": "Hi, the wifi password is: ⟦Kaffee¦klatsch9⟧\nBye\n",
    "ticket.md: was changed": "I reset the root password to ⟦Quartz¦&Feather8⟧ last night.\n",
    "notes.md: pin of words": "pw: ⟦hunter¦2hunter⟧\n",
    "wallet.txt: seed": "⟦abandon ability able about above absent absorb abstract absurd abuse access accident⟧\n",
    "wallet.js: mnemonic": 'const mnemonic = "⟦legal winner thank year wave sausage worth useful legal winner thank yellow⟧";\n',
    "search.py: tavily": 'client = TavilyClient("⟦tvly-dev-¦Kq8ZrT5vN1cYw3KdBx7Lm2⟧")\n',
    "llm.py: neutral name": 'x = "⟦xai-¦Kq8ZrT5vN1cYw3KdBx7Lm2Kq8ZrT5vN1cYw3KdBx7Lm2pQ9Zr4XwKq8ZrT5vN1cYw3⟧"\n',
    "bot.py: unknown vendor": 'CLIENT = Client("⟦acme_live_¦8fK3qLz9Xw2Vn7Rt5YpB⟧")\n',
    "conf.ini: quoted blanks": "password = '⟦two wo¦rds⟧'\n",
    "conf.yml: quoted blanks": 'admin:\n  password: "⟦blue Horse ¦stable 9⟧"\n',
    "app.config: ado": 'connectionString="Server=db;Database=app;User Id=sa;Password=⟦Sa!Pass¦w0rd7⟧;Encrypt=true"\n',
    "conf.py: odbc": 'CONN = "Driver={ODBC};Server=db;Uid=app;Pwd=⟦0dbc¦Rocks!⟧;"\n',
    "db.properties: jdbc": "url=jdbc:postgresql://db/app?user=app&password=⟦jdbc-7¦Xq2Lp⟧&ssl=true\n",
    "celery.py": 'BROKER = "amqp://worker:⟦Rabb1t¦Hole!@mq⟧:5672//"\n'.replace("@mq⟧", "⟧@mq"),
    "redis.env": "REDIS_URL=redis://:⟦c4che-¦Money@cache⟧:6379/0\n".replace("@cache⟧", "⟧@cache"),
    "request.http": "GET /v1/items\nX-Api-Key: ⟦8fK3qLz9¦Xw2Vn7Rt⟧\n",
    "client.py: header": 'headers = {"X-Auth-Token": "⟦Kq8ZrT5v¦N1cYw3KdBx7L⟧"}\n',
    "client.js: token header": "headers: { Authorization: 'Token ⟦9f3c7a1e5b¦d2804c6e1fa7b3d95028⟧' }\n",
    "cookie.sh": "curl -b 'sessionid=⟦k3v9x2m7q¦1z8w5r4t6y0p2a⟧' https://host.example\n",
    "wp-config.php": "define('DB_PASSWORD', '⟦wp!L0¦calDb⟧');\n",
    "wp-config.php: salt": "define( 'AUTH_KEY',         '⟦t`DK%X:>xy|¦e-Z(BXb/f(Ur`8#~UzUQG-^_Cs_GHs5U-&Wb?pgn^p8(2@}IcnCa|⟧' );\n",
    "config.inc.php": "$cfg['Servers'][$i]['password'] = '⟦php¦My!4dmin⟧';\n",
    "app.py: flask": "app.secret_key = b'⟦_5#y2L\"F4Q8z¦\\n\\xec]/⟧'\n",
    ".env.example": "APP_KEY=base64:⟦u6Kq8ZrT5vN1¦cYw3KdBx7Lm2Kq8ZrT5vN1cYw3KdBx7Lg=⟧\n",
    "init.sql: create user": "CREATE USER app WITH LOGIN PASSWORD '⟦pgApp¦!2024⟧';\n",
    "seed.sql: insert": "INSERT INTO users (email, password, role) VALUES ('ada@example.org', '⟦Ada¦Rocks!42⟧', 'admin');\n",
    "grant.sql": "GRANT ALL ON shop.* TO 'shop'@'%' IDENTIFIED BY '⟦Sh0p!¦keeper⟧';\n",
    "people.ldif": "dn: uid=ada,dc=example\nuserPassword: ⟦l0velace¦_Eng!ne⟧\n",
    "hosts.ini: ansible": "web1 ansible_user=root ansible_ssh_pass=⟦Ans1ble¦&Roots⟧\n",
    "router.cfg": "username admin privilege 15 password 0 ⟦R0uter¦!Rack4⟧\n",
    "wpa.conf": 'network={\n  ssid="office"\n  psk="⟦correct p¦ony battery 5⟧"\n}\n',
    "wg0.conf": "[Interface]\nPrivateKey = ⟦yAnz5TF+lXXJte14¦tji3zlMNq+hd2rYUIgJBgB3fBmk=⟧\n",
    "totp.txt": "otpauth://totp/ACME:ada?secret=⟦JBSWY3DPEHPK¦3PXPKR4XQ2DL⟧&issuer=ACME\n",
    "sas.txt": "https://acme.blob.core.windows.net/b?sv=2022-11-02&sig=⟦Zk3V9x2m7q%2B1z8w5r¦4t6y0p2aQ9LmXwKpR4%3D⟧\n",
    "dsn.py": 'sentry_sdk.init("https://⟦9f3c7a1e5bd2¦804c6e1fa7b3d95028⟧@o45.ingest.sentry.io/12")\n',
    "test_login.py: call": 'client.login(username="root", password="⟦Spring¦-Onion7⟧")\n',
    "Client.java: positional": 'new UsernamePasswordCredentials("svc", "⟦Jav4!¦svc_key⟧");\n',
    "client.py: tuple": 'requests.get(url, auth=("admin", "⟦Tup¦le!Pw77⟧"))\n',
    "main.py: comment": "# old password: ⟦Fr0sch¦koenig!⟧\n",
    "api.ts: comment": "// staging key -> ⟦8fK3qLz9Xw2V¦n7Rt5Yp8fK3q⟧\n",
    "plan.toml": '[database]\nuser = "app"\npass = "⟦T0ml!¦Table9⟧"\n',
    "gradle.properties": "signing.keyPassword=⟦Andr0id¦_Keyst⟧\nstorePassword=⟦St0re¦#Pass1⟧\n",
    "settings.xml": "<server><id>nexus</id><username>ci</username><password>⟦N3xus¦!deploy⟧</password></server>\n",
    "values.yaml: anchors": "auth: &auth\n  adminPassword: !!str ⟦H3lm-Ch¦art!⟧\n",
}


SECOND = {
    "settings/local.py": "EMAIL_HOST_PASSWORD = config('EMAIL_PASSWORD', default='⟦mango¦-Lassi_88⟧')\n",
    "db.py: get": "password = settings.get('db_password') or \"⟦Orbit¦Falcon!6⟧\"\n",
    "server.js: ternary": "const key = isProd ? process.env.SIGNING_KEY : '⟦Zp4xQ8vL2m¦N7kT9wB3⟧';\n".replace(
        "const key", "const signingKey"
    ),
    "index.ts: assertion": "const apiKey = (process.env.MAPS_KEY as string) || '⟦m4pL9xQ2z¦V7kT8wB3n⟧';\n",
    "database.rb": "password: <%= ENV['DB_PASS'] || '⟦Kirsch¦baum!55⟧' %>\n",
    "Config.kt": 'val dbPassword = System.getenv("DB_PASSWORD") ?: "⟦Kot1in¦#Coast⟧"\n',
    "Program.cs": 'var secret = Environment.GetEnvironmentVariable("CLIENT_SECRET") ?? "⟦N8~x2Qm7¦Lz4Kp9Rw1Vt6⟧";\n',
    "main.rs": 'let pw = std::env::var("DB_PASSWORD").unwrap_or("⟦Rusty¦-Crab!12⟧".to_string());\n',
    "config.exs": 'secret_key_base: System.get_env("SECRET_KEY_BASE") || "⟦aX7kQ2mN9pL4vR8t¦W3zB6yC1dF5gH0jKsUeIoPaSdFgHj⟧"\n',
    "compose.yml: default": "      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-⟦Elefant¦en_Rad3⟧}\n",
    "Dockerfile": "ARG NPM_TOKEN=⟦8b1f0c2d-9e7a-4f63-¦85d1-0c9e8f7a6b5d⟧\n",
    "Dockerfile: env blank": "ENV MYSQL_ROOT_PASSWORD ⟦Root!fuer¦Alle3⟧\n",
    "config.js: prefixed": "SECRET: 'myapp-dev-⟦q2w8e4r6¦t1y9u3i7⟧',\n",
    "settings.toml": 'secret_key = "prod:⟦xV5$nK!8pQ¦#2mZ@7wL&4⟧"\n',
    "job.yaml: reversed": "  - value: ⟦Nebel¦horn_77!⟧\n    name: FTP_PASSWORD\n",
    "ecs.json: one line": '"environment": [{"name": "API_SECRET", "value": "⟦pL9xQ2zV7k¦T8wB3nM4⟧"}]\n',
    "argo.yaml": '      - name: github-token\n        value: "⟦c0ffee12ab¦34cd56ef7890ab12cd34ef56ab78cd⟧"\n',
    "App.config: on two lines": '<add key="ApiSecret"\n     value="⟦W8nR3tY6uI¦9oP2aS⟧" />\n',
    "context.xml": '<Parameter name="ldap.bind.password" value="⟦Bind!M¦e_2day⟧"/>\n',
    "template.json: parameter": '"AdminPassword": {\n  "type": "string",\n  "defaultValue": "⟦Az!Tem¦plate#1⟧"\n}\n',
    "vars.tf: sensitive first": 'variable "redis_auth_token" {\n  sensitive = true\n  default = "⟦tY6uI9oP2aS¦4dF7gH1⟧"\n}\n',
    "cluster.bicep": "param adminPassword string = '⟦Bicep!¦Flex99⟧'\n",
    "inventory.yml": "all:\n  vars:\n    ansible_become_pass: ⟦Becom3¦!Hero⟧\n",
    "cron.sh: mariadb": "mariadb-dump --user=backup --password '⟦B4ck!Up¦_maria⟧' shop | gzip > /srv/shop.gz\n",
    "cron.sh: attached": "mysql -h db1 -uapp -p'⟦app!My¦Sql_4⟧' shop < fix.sql\n",
    "psql.sh": "PGPASSWORD=⟦post¦Gr3s!now⟧ psql -h db -U app -c 'select 1'\n",
    "wget.sh": "wget --http-user=mirror --http-password=⟦m1rror¦!Wget⟧ https://files.example/x.tgz\n",
    "svn.sh": "svn checkout --username ci --password ⟦5vn-Che¦ckout! https://svn.example/trunk⟧\n".replace(
        " https://svn.example/trunk⟧", "⟧ https://svn.example/trunk"
    ),
    "smb.sh": "smbclient //nas/share -U 'office%⟦N4s-Sh¦are!⟧'\n",
    "push.sh": "echo '⟦Harb0r¦!push_7⟧' | docker login -u robot --password-stdin registry.example\n",
    "keystore.sh": "keytool -importkeystore -srcstorepass ⟦Key5tore¦!Src -destkeystore out.p12⟧\n".replace(
        " -destkeystore out.p12⟧", "⟧ -destkeystore out.p12"
    ),
    "helm.sh": "helm upgrade app ./chart --set postgresql.auth.password=⟦h3lm!¦Upgr4de⟧\n",
    "az.sh": "az login --service-principal -u $APP_ID -p ⟦4dG8q~Lx2Vn7R¦t5Yp8fK3qLz9Xw2Vn7Rt5⟧ --tenant $T\n",
    "Jenkinsfile": "sh 'sonar-scanner -Dsonar.login=⟦3f9c7a1e5bd280¦4c6e1fa7b3d950281a2b3c4d⟧'\n",
    "build.bat": "set DB_PASSWORD=⟦W1ndows¦&Doors⟧\r\nsqlcmd -S db -U sa -P ⟦Sql!Cm¦d_99⟧\r\n",
    "deploy.ps1": '$pass = ConvertTo-SecureString "⟦Pow3r¦Shell!x⟧" -AsPlainText -Force\n',
    "employees.csv": "first_name,last_name,login,initial_password\nEva,Roth,eroth,⟦Wolken¦bruch7⟧\nJan,Berg,jberg,⟦mond¦schein12⟧\n",
    "vault.csv: quoted": '"title","url","username","password","notes"\n"Bank","https://bank.example","ada","⟦Geld!Re¦gen_3⟧",""\n',
    "tokens.csv": "team,token,expires\nweb,⟦k9P2x7Lq¦4mV8t3Rz⟧,2027-01-01\n",
    "devices.psv": "host|snmp_secret|site\nsw1|⟦Snmp!¦Zauber4⟧|HQ\n",
    "handbook.md: table": "| Service | Login | Passwort |\n| --- | --- | --- |\n| Wiki | redaktion | `⟦W1ki-¦Schreiber⟧` |\n",
    "onboarding.md": "Your initial password is `⟦Erster¦Tag_2024⟧`; change it after the first login.\n",
    "chat.txt: sentence": "tim: the prod db password is ⟦Gewitter¦!ziege5⟧ btw\n",
    "faq.rst": "To get into the demo instance use user ``demo`` and password ``⟦Demo-Z¦ugang!7⟧``.\n".replace(
        "Demo-Z", "Dm0-Z"
    ),
    "notes.org": "- vpn passphrase: ⟦grüne Gurke ¦tanzt 4⟧\n",
    "post-mortem.md": "We rotated the API key, the former one was ⟦9kL2pQ4xZ8¦wV1mN6bT3⟧.\n",
    "todo.txt": "remove hardcoded secret (⟦f7Kq2mZ9¦xL4vT8pW⟧) from deploy script\n",
    "seed.txt: 24 words": "⟦witch collapse practice feed shame open despair creek road again ice least ¦upper arrive lend maple sunset coral drift velvet oxygen quantum ribbon lunar⟧\n",
    "wallet.env": 'MNEMONIC="⟦test walk nut penalty hip pave soap entry ¦language right filter choice⟧"\n',
    "hardhat.config.js": 'accounts: ["⟦0x9f3c7a1e5bd2804c6e1fa7b3d95028¦1a2b3c4d5e6f708192a3b4c5d6e7f80912⟧"],\n',
    "brave.py": 'Search("⟦BSA-Kq8Z¦rT5vN1cYw3KdBx7Lm2Pz⟧")\n',
    "together.js": 'new Client({ auth: "⟦tgp_v1_Kq8Z¦rT5vN1cYw3KdBx7Lm2PzXc4⟧" })\n',
    "eleven.rb": 'Voice.new("⟦sk_9f3c7a1e5bd2804c¦6e1fa7b3d950281a2b3c4d5e6f7081⟧")\n',
    "mystery.go": 'c := NewClient("⟦orgx-prod-8fK3qLz9¦Xw2Vn7Rt5YpB2mQ⟧")\n',
    "app.properties: blanks": "mail.password=⟦my cat 5its ¦on it⟧\n",
    "odoo.conf": "admin_passwd = ⟦Od00!¦Master_key⟧\n",
    "grafana.ini": ";admin_password = admin\nadmin_password = ⟦gr4f!¦Pw_onyx⟧\n",
    "my.cnf": "[client]\nuser=root\npassword=⟦sock3t¦&Wrench⟧\n",
    "appsettings.json": '"Default": "Server=tcp:db;Initial Catalog=shop;User ID=shop;Password=⟦Cat4log¦!xyz⟧;"\n',
    "storage.cs": '"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟦Zk3V9x2m7qB1z8w5r4t6y0p2aQ9LmXwKpR4Zk3V9x2m¦7qB1z8w5r4t6y0p2aQ9LmXwKpR4Zk3V9x2m7qB1z8w==⟧"\n',
    "datasource.xml": '<property name="url">jdbc:mysql://db/shop?user=shop&amp;password=⟦jd8c!¦Shop_x⟧</property>\n',
    "mongo.py": 'MongoClient("mongodb+srv://app:⟦m0ngo¦-Srv!9@cluster0⟧.example.net/app")\n'.replace(
        "@cluster0⟧", "⟧@cluster0"
    ),
    "smtp.env": "MAILER_DSN=smtp://news:⟦Brief¦taube8@mail⟧.example:587\n".replace("@mail⟧", "⟧@mail"),
    "proxy.sh": "export https_proxy=http://corp:⟦pr0xy¦!Walk@proxy⟧:3128\n".replace("@proxy⟧", "⟧@proxy"),
    "api.http": "POST /login\nAuthorization: ApiKey ⟦8fK3qLz9Xw2V¦n7Rt5Yp8fK⟧\n",
    "fetch.js": "fetch(url, { headers: { 'x-functions-key': '⟦Kq8ZrT5vN1cYw3¦KdBx7Lm2PzXc4a==⟧' } })\n",
    "curl.md: header": 'curl -H "PRIVATE-TOKEN: ⟦Zx9vC3bN6¦mQ1wE4rT7y⟧" https://git.example/api/v4/projects\n',
    "conf.lua": 'ngx.req.set_header("Authorization", "Bearer ⟦aX7kQ2mN9pL4¦vR8tW3zB6yC1⟧")\n',
    "session.txt": "Set-Cookie: auth_token=⟦p2Lx9KvT7qW4¦mZ8sR1bN⟧; HttpOnly\n",
    "configuration.php": "public $password = '⟦J00mla!¦Kroete⟧';\npublic $secret = '⟦xK2vQ9mL4¦pT7wZ1n⟧';\n",
    "local.xml": "<password><![CDATA[⟦Mag3nto¦!shop⟧]]></password>\n",
    "secrets.php": "define('NONCE_SALT', '⟦/z9|Q*W+2v{k7¦)mP!x@3-Lr8~t5#Yb^1&Nc⟧');\n",
    "credentials.yml": "development:\n  <<: *default\n  secret_key_base: ⟦7c1e5bd2804c6e1fa7b3d9502¦89f3c7a1e5bd2804c6e1fa7b3d95028⟧\n",
    "alter.sql": "ALTER ROLE reporting WITH PASSWORD '⟦R3port!¦Role⟧';\n",
    "users.sql": "INSERT INTO accounts (id, login, passwd) VALUES\n  (1, 'eva', '⟦Eva!K¦olibri3⟧');\n",
    "oracle.sql": "ALTER USER scott IDENTIFIED BY ⟦T1ger¦Cage_9⟧;\n",
    "bind.ldif": "olcRootPW: ⟦l3ft-R00t¦!wing⟧\n",
    "switch.cfg": "enable secret ⟦En4ble¦!Sw1tch⟧\nsnmp-server community ⟦Pr1v!C¦omm RW⟧\n".replace(" RW⟧", "⟧ RW"),
    "office.nmconnection": "[wifi-security]\nkey-mgmt=wpa-psk\npsk=⟦Kaffee&K¦uchen22⟧\n",
    "pptp.conf": '"branch" * "⟦t0nnel¦!Blick⟧" *\n'.replace('"branch" *', "secret"),
    "mfa.py": 'totp = pyotp.TOTP("⟦MZXW6YTBOI2G¦KZLQMFXGS3TH⟧")\n',
    "test_api.py": 'api = Api(user="qa", token="⟦Zt7vK2qL9x¦M4pR8w⟧")\n',
    "Test.java": 'given().auth().basic("qa", "⟦Qa!Kaktus¦_12⟧").get("/me");\n',
    "ftp.py": 'ftp.login("upload", "⟦Up!Lo4d¦_kiosk⟧")\n',
    "ssh.py": 'client.connect("10.0.0.5", username="ops", password="⟦0ps!Gl¦etscher⟧")\n',
    "legacy.js: comment": "/* TODO remove: admin / ⟦Alt3s¦!Kennwort⟧ (admin password) */\n",
    "conf.py: comment": "# db pass was '⟦Vor!her¦_77x⟧' until March\n",
    "playbook.yml": "      command: htpasswd -b /etc/nginx/.htpasswd ada ⟦Ht!Wolke¦_31⟧\n",
    "recovery.txt": "Recovery codes:\n⟦8k2mq-¦v4x9z⟧\n⟦p7r3t-¦w6n1b⟧\n",
}
