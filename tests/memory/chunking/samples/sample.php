<?php
declare(strict_types=1);

namespace Shop\Orders;

use Shop\Money;
use Shop\Basket\{Item, Line as Row};
use function Shop\euros;

require_once __DIR__ . '/lib/tax.php';

const RATE = 3, LIMIT = 4;
define('OLD_RATE', 2);

/** An order of a customer. */
#[Entity]
final class Order extends Base implements Priced
{
    use Logs;

    public const OPEN = 1;

    public function __construct(private Money $money) {}

    /** Opens an empty order. */
    public static function open(): self { return new static(new Money(0)); }

    abstract protected function &lines(): array;
}

interface Priced { public function price(): int; }

trait Logs { private function log(string $line): void {} }

enum State: string { case Open = 'o'; public function label(): string { return 'open'; } }

function main(array $argv): int { return 0; }

if (!function_exists('shop_total')) {
    function shop_total() { return 1; }
}
?>
<p>Thanks.</p>
