using System.Text;
using static System.Math;

namespace Shop.Orders
{
    /// <summary>An order of a customer.</summary>
    [Serializable]
    public class Order<T> : IPriced where T : Item
    {
        private readonly List<T> items = new();
        public Order(List<T> items) { this.items = items; }
        ~Order() { }
        public decimal Total { get; set; }
        public decimal Price(int discount) => Total - discount;
        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        public enum State { Open, Shipped }
    }

    public interface IPriced { decimal Price(int discount); }
    public struct Size { public int W; }
    public record Address(string Street, int Number);
    public delegate void Changed(object sender);
}
